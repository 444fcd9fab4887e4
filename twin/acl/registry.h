// Objects that a client holds by address. What a client destroys stays readable for a while, so
// that a call on it is a sentence and not a crash, and its address is not given to another object.
#ifndef NORMGRAD_TWIN_ACL_REGISTRY_H_
#define NORMGRAD_TWIN_ACL_REGISTRY_H_

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace normgrad::acl {

template <typename T>
class Registry {
 public:
  Registry(const char* noun, const char* maker) : noun_(noun), maker_(maker) {}

  T* Add(std::shared_ptr<T> object) {
    const std::lock_guard<std::mutex> lock(mutex_);
    T* address = object.get();
    live_.emplace(address, std::move(object));
    return address;
  }

  // Null if there is none; then `why` says what the address is.
  std::shared_ptr<T> Find(const void* address, std::string* why) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = live_.find(address);
    if (found != live_.end()) return found->second;
    *why = WhatIs(address);
    return nullptr;
  }

  // As Find, and the object is destroyed for its client.
  std::shared_ptr<T> Remove(const void* address, std::string* why) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = live_.find(address);
    if (found == live_.end()) {
      *why = WhatIs(address);
      return nullptr;
    }
    std::shared_ptr<T> object = found->second;
    Bury(found->second);
    live_.erase(found);
    return object;
  }

  std::vector<std::shared_ptr<T>> All() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<std::shared_ptr<T>> objects;
    for (const auto& entry : live_) objects.push_back(entry.second);
    return objects;
  }

 private:
  // A client that uses what it has destroyed does so soon; a few megabytes remember it.
  static constexpr size_t kRemembered = 16384;

  void Bury(std::shared_ptr<T> object) {
    gone_.insert(object.get());
    graves_.push_back(std::move(object));
    if (graves_.size() > kRemembered) {
      gone_.erase(graves_.front().get());
      graves_.pop_front();
    }
  }

  std::string WhatIs(const void* address) const {
    if (address == nullptr) return std::string("the ") + noun_ + " is null: pass one of " + maker_;
    if (gone_.count(address) != 0) {
      return std::string("the ") + noun_ + " was used up or destroyed before: make another with " +
             maker_;
    }
    return std::string("this is no ") + noun_ + " that is known here: pass one of " + maker_;
  }

  const char* noun_;
  const char* maker_;
  mutable std::mutex mutex_;
  std::unordered_map<const void*, std::shared_ptr<T>> live_;
  std::unordered_set<const void*> gone_;
  std::deque<std::shared_ptr<T>> graves_;
};

}  // namespace normgrad::acl

#endif  // NORMGRAD_TWIN_ACL_REGISTRY_H_
