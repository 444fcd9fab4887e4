// dgamma and dbeta of one core, and their way to the result: those of the two that are asked for.
#ifndef OP_KERNEL_LAYER_NORM_GRAD_V3_COLUMN_SUMS_H_
#define OP_KERNEL_LAYER_NORM_GRAD_V3_COLUMN_SUMS_H_

#include "op_kernel/common/partial_sums.h"

// `Out`: dtype of the results. `Sum` adds: SumOverRows, or its like in registers.
template <typename Out, typename Sum>
class ColumnSums {
 public:
  __aicore__ inline void Init(const NormGradArgs& args, const NormGradTiling& plan,
                              AscendC::TPipe* pipe) {
    deal_rows_ = plan.deal_rows;
    wants_dgamma_ = WantsDgamma(plan);
    wants_dbeta_ = WantsDbeta(plan);
    partials_.Init(args, plan, pipe);
    dgamma_.Init(plan, pipe);
    dbeta_.Init(plan, pipe);
    Sum::TakeTurns(dgamma_, dbeta_);
  }

  __aicore__ inline Sum& Dgamma() { return dgamma_; }
  __aicore__ inline Sum& Dbeta() { return dbeta_; }

  // Clears both for the columns of another chunk; `has_rows`: whose first value comes for all
  // columns at once.
  __aicore__ inline void Renew(bool has_rows) {
    if (has_rows) {
      dgamma_.Renew();
      dbeta_.Renew();
    } else {
      dgamma_.Clear();  // the empty sum
      dbeta_.Clear();
    }
  }

  __aicore__ inline PartialSums<Out>& Partials() { return partials_; }
  __aicore__ inline bool Wants(uint32_t sum) const {
    return sum == 0 ? wants_dgamma_ : wants_dbeta_;
  }
  __aicore__ inline Sum& SumAt(uint32_t sum) { return sum == 0 ? dgamma_ : dbeta_; }

  // After a step of rows has been added.
  __aicore__ inline void Next() {
    dgamma_.Next();
    dbeta_.Next();
  }

  // Before the sums leave.
  __aicore__ inline void Finish() {
    if (wants_dgamma_) dgamma_.Finish();
    if (wants_dbeta_) dbeta_.Finish();
  }

  // After Finish, once MTE3 has waited for it: the sums of the group of `row`.
  __aicore__ inline void Send(uint64_t row, bool is_last, AscendC::TPipe* pipe) {
    const uint64_t slot = deal_rows_ == 1 ? AscendC::GetBlockIdx() : row / deal_rows_;
    SendOne(dgamma_, wants_dgamma_, slot, 0, is_last, pipe);
    SendOne(dbeta_, wants_dbeta_, slot, 1, is_last, pipe);
  }

  // The same, and the wait.
  __aicore__ inline void SendNow(uint64_t row, bool is_last, AscendC::TPipe* pipe) {
    const AscendC::TEventID event = pipe->FetchEventID(AscendC::HardEvent::V_MTE3);
    AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(event);
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(event);
    Send(row, is_last, pipe);
  }

  // Finish and SendNow.
  __aicore__ inline void Store(uint64_t row, bool is_last, AscendC::TPipe* pipe) {
    Finish();
    SendNow(row, is_last, pipe);
  }

  __aicore__ inline void SumOverPartials(const NormGradTiling& plan, AscendC::TPipe* pipe) {
    if (wants_dgamma_ || wants_dbeta_) partials_.SumOverPartials(plan, pipe);
  }

 private:
  __aicore__ inline void SendOne(Sum& sum, bool is_wanted, uint64_t slot, uint32_t index,
                                 bool is_last, AscendC::TPipe* pipe) {
    if (!is_wanted) return;
    sum.Send(partials_.Destination(slot, index), partials_.StoredCols(), is_last, pipe);
  }

  uint32_t deal_rows_;
  bool wants_dgamma_;
  bool wants_dbeta_;
  Sum dgamma_;
  Sum dbeta_;
  PartialSums<Out> partials_;
};

#endif  // OP_KERNEL_LAYER_NORM_GRAD_V3_COLUMN_SUMS_H_
