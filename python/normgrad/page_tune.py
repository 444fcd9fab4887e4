"""What report.html of `tune` shows: of each problem its plans as pictures, the best as a table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from normgrad import candidates, charts_tune, timeline
from normgrad.candidates import Candidate
from normgrad.charts_tune import Spot
from normgrad.errors import NormgradError, Refused
from normgrad.measure import Figure
from normgrad.plan import Plan
from normgrad.timeline import Slice
from normgrad.tuned import Tuned

_AXES = ("rows_per_tile", "chunk", "buffers", "cores")  # knobs with numbers, in this order if equal
_FIELDS = {"rows_per_tile": "rows_per_tile", "chunk": "chunk_cols", "buffers": "in_buffers"}
_LANDSCAPES = 3  # of the strategies with most plans
_SHOWN = 12  # plans of the table
_TILES = 16  # per core at most, of the plan with smaller ones, in a timeline
_LEAST_SPOTS = 3  # fewer are read from the table


@dataclass(frozen=True)
class Picture:
    caption: str
    svgs: tuple[str, ...]


@dataclass(frozen=True)
class Row:
    """A plan in the table."""

    us: float | None
    against: float | None  # the planner's own time, relative
    words: str
    strategy: str
    mark: str
    reason: str


@dataclass(frozen=True)
class Section:
    """One problem."""

    title: str
    sentence: str
    note: str
    landscapes: tuple[Picture, ...]
    timelines: tuple[Picture, ...]
    rows: tuple[Row, ...]
    others: int  # plans that are not in the table


def section(found: Tuned) -> Section:
    last = _last_words(found.figures)
    ranked = sorted(last.values(), key=lambda f: (f.us is None, f.us or 0.0, f.candidate.words))
    shown = ranked[:_SHOWN]
    if found.default and found.default.candidate not in [f.candidate for f in shown]:
        shown.append(found.default)
    return Section(
        str(found.case).rpartition(":seed")[0],
        _sentence(found),
        found.note or found.refused,
        tuple(_landscapes(found, last)),
        tuple(_timelines(found)),
        tuple(_row(figure, found) for figure in shown),
        len(last) - len(shown),
    )


def _last_words(figures: Sequence[Figure]) -> dict[Candidate, Figure]:
    """Of each plan the figure with most tiles."""
    last: dict[Candidate, Figure] = {}
    for figure in figures:
        known = last.get(figure.candidate)
        if known is None or figure.tiles >= known.tiles:
            last[figure.candidate] = figure
    return last


def _sentence(found: Tuned) -> str:
    first, best = found.default, found.winner
    if not (first and best and first.us and best.us):
        return "nothing could be timed"
    if best.candidate.is_default:
        return f"the planner's choice, {first.us:,.1f} us, is the best of {found.drawn}"
    return (
        f"{best.us:,.1f} us by {best.candidate.words}, where the planner's choice takes "
        f"{first.us:,.1f} us: {100 * (found.gain or 0.0):.1f} % less, the best of {found.drawn}"
    )


def _mark(figure: Figure, found: Tuned) -> str:
    best = found.winner is not None and figure.candidate == found.winner.candidate
    words = [*(["best"] if best else []), *(["default"] if figure.candidate.is_default else [])]
    return " ".join(words)


def _row(figure: Figure, found: Tuned) -> Row:
    first = found.default.us if found.default else None
    against = figure.us / first - 1 if figure.us and first else None
    words = figure.candidate.words
    return Row(figure.us, against, words, figure.strategy, _mark(figure, found), figure.reason)


def _landscapes(found: Tuned, last: Mapping[Candidate, Figure]) -> list[Picture]:
    """One for each strategy that has two plans beside the one that is looked at."""
    best = found.winner
    if best is None or best.us is None:
        return []
    plans: dict[str, list[tuple[Figure, Plan]]] = defaultdict(list)
    for candidate, figure in last.items():
        try:
            made = candidate.plan()
        except Refused:
            continue
        plans[made.strategy].append((figure, made))
    pictures = []
    ordered = sorted(plans.items(), key=lambda item: (item[0] != best.strategy, -len(item[1])))
    for strategy, members in ordered[:_LANDSCAPES]:
        axes = _axes(members)
        if not axes or len(members) < _LEAST_SPOTS:
            continue
        x_name, y_name = axes[0], axes[1] if len(axes) > 1 else ""
        spots = [
            Spot(
                _value(made, x_name),
                _value(made, y_name) if y_name else None,
                figure.us,
                _title(figure),
                _mark(figure, found),
            )
            for figure, made in members
        ]
        others = axes[2:]
        caption = f"{strategy}: {_words(x_name)}" + (f" and {_words(y_name)}" if y_name else "")
        caption += f"; the quickest over {', '.join(map(_words, others))}" if others else ""
        svg = charts_tune.landscape(strategy, _words(x_name), _words(y_name), spots, best.us)
        pictures.append(Picture(caption, (svg,)))
    return pictures


def _axes(members: Sequence[tuple[Figure, Plan]]) -> list[str]:
    """The knobs in which these plans differ, the one with most values first."""
    asked = {word for figure, _ in members for word in figure.candidate.knobs}
    counts = {
        name: len({_value(made, name) for _, made in members}) for name in _AXES if name in asked
    }
    return sorted((name for name in counts if counts[name] > 1), key=lambda name: -counts[name])


def _value(made: Plan, knob: str) -> int:
    return made.cores if knob == "cores" else int(made.fields[_FIELDS[knob]])


def _words(knob: str) -> str:
    return knob.replace("_", " ")


def _title(figure: Figure) -> str:
    said = figure.reason if figure.us is None else f"{figure.us:,.1f} us"
    return f"{figure.candidate.words}: {said}"


def _timelines(found: Tuned) -> list[Picture]:
    """What the planner's choice and the winner do with the same rows, on one scale."""
    first, best = found.default, found.winner
    chosen = [figure for figure in (first, best) if figure is not None and figure.us is not None]
    if best is not None and best.candidate.is_default:
        chosen = [best]
    plans = [figure.candidate.plan() for figure in chosen]
    rows = min(
        [found.case.rows, *(made.cores * _TILES * int(made.fields["rows_per_tile"])
                            for made in plans)],
    )  # fmt: skip
    drawn = [(figure, slices) for figure in chosen if (slices := _slices(figure, rows))]
    span = max((each.end_us for _, slices in drawn for each in slices), default=0.0)
    of_all = "" if rows == found.case.rows else f" for {rows:,} of the rows"
    pictures = []
    for figure, slices in drawn:
        name = "the planner's choice" if figure.candidate.is_default else figure.candidate.words
        caption = f"{name} ({figure.strategy}){of_all}: core 0, cold; below, a part of it"
        svgs = (charts_tune.overview(name, slices, span), charts_tune.zoom(name, slices, span))
        pictures.append(Picture(caption, svgs))
    return pictures


def _slices(figure: Figure, rows: int) -> list[Slice]:
    """None where a launch of fewer rows, cut as all of them, is refused: a picture less."""
    candidate = figure.candidate
    case = candidates.with_rows(candidate.case, rows)
    wishes = (*candidate.wishes, ("tile_for_rows", candidate.case.rows))
    try:
        made = Candidate(case, wishes if rows < candidate.case.rows else candidate.wishes).plan()
        return timeline.of_core(case, made)
    except (NormgradError, Refused, OSError):
        return []
