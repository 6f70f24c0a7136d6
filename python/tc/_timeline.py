"""The timeline of a run, drawn from the JSON that tc-run --trace writes for Perfetto."""
from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field

from ._errors import InputError
from ._svg import Drawing, Picture

# What a category of events looks like, and what it is.
_KINDS = {"warp": ("#7fb2dd", "a warp runs"), "wait": ("#c9ccd1", "a warp waits"), "step": ("#f3a25f", "a step of an engine"),
          "under way": ("#c9a3d6", "work under way"), "not complete": ("#e06666", "never completed")}
_LABEL, _LANE = 150, 12


@dataclass
class Event:
    """From `begin` up to `end`, in steps of the emulator. Where `lane` is above 0 the work was under way beside others."""
    name: str
    category: str
    begin: float
    end: float
    tip: str
    lane: int = 0


@dataclass
class Track:
    """A warp or an engine of one CTA."""
    process: str
    name: str
    events: list[Event] = field(default_factory=list)
    lanes: int = 1


def read_tracks(trace) -> tuple[list[Track], int]:
    """The tracks of a trace (JSON or what it says), and how many events the emulator did not keep."""
    try:
        trace = json.loads(trace) if isinstance(trace, (str, bytes)) else trace
    except ValueError as error:
        raise InputError(f"expected a trace as JSON: {error}") from None
    if not isinstance(trace, dict) or "traceEvents" not in trace:
        raise InputError("expected a trace with traceEvents: tc-run --trace, Kernel.trace, KernelError.timeline")
    processes, names, tracks, begun = {}, {}, {}, {}
    for event in trace["traceEvents"]:
        phase, where = event["ph"], (event["pid"], event.get("tid"))
        if phase == "M":
            if event["name"] == "process_name":
                processes[event["pid"]] = event["args"]["name"]
            elif event["name"] == "thread_name":
                names[where] = event["args"]["name"]
        elif phase == "X":
            tracks.setdefault(where, []).append(Event(event["name"], event["cat"], event["ts"], event["ts"] + event["dur"],
                                                      _tip(event)))
        elif phase == "b":
            # Work of an engine that is under way: from where it is begun to where it is complete.
            begun[event["pid"], event["cat"], event["id"]] = (where, event)
        elif phase == "e":
            where, first = begun.pop((event["pid"], event["cat"], event["id"]))
            tracks.setdefault(where, []).append(Event(first["name"], "under way", first["ts"], event["ts"], _tip(first), 1))
        else:
            raise InputError(f"expected events M, X, b and e, got '{phase}'")
    for where, first in begun.values():
        # Never completed: the run was stopped.
        last = max(event.get("ts", 0) for event in trace["traceEvents"])
        tracks.setdefault(where, []).append(Event(first["name"], "not complete", first["ts"], last, _tip(first), 1))
    result = [Track(processes[where[0]], names[where], tracks[where]) for where in sorted(tracks)]
    for track in result:
        _assign_lanes(track)
    return result, trace.get("otherData", {}).get("dropped events", 0)


def _tip(event) -> str:
    details = ", ".join(f"{name} {value}" for name, value in event.get("args", {}).items())
    return f"{event['name']} at {event['ts']}" + (f": {details}" if details else "")


def _assign_lanes(track):
    """Work that overlaps gets lanes of its own, below that of the steps."""
    ends = []
    for event in sorted((event for event in track.events if event.lane), key=lambda event: event.begin):
        lane = next((index for index, end in enumerate(ends) if end <= event.begin), len(ends))
        ends[lane:lane + 1] = [event.end]
        event.lane = lane + 1
    track.lanes = len(ends) + 1


def _name_roles(tracks, roles):
    """Warps get the names of their roles, whose warps come in the order of the IR."""
    names = [role.name for role in roles for _ in range(role.warps)]
    for track in tracks:
        found = re.fullmatch(r"warp (\d+)", track.name)
        if found and int(found[1]) < len(names):
            track.name += f": {names[int(found[1])]}"


def _tick_step(length):
    """1, 2 or 5 times a power of ten, so that there are 5 to 12 ticks."""
    power = 10 ** math.floor(math.log10(max(length / 5, 1)))
    return next(power * factor for factor in (5, 2, 1) if power * factor <= max(length / 5, 1))


def draw_timeline(trace, width: int = 960, roles=(), ctas: int | None = None, span=None) -> Picture:
    tracks, dropped = read_tracks(trace)
    if not tracks:
        raise InputError("expected a trace with events, got none")
    processes = list(dict.fromkeys(track.process for track in tracks))[:ctas]
    tracks = [track for track in tracks if track.process in processes]
    _name_roles(tracks, roles)
    first, last = span or (0, max(event.end for track in tracks for event in track.events) or 1)
    scale = (width - _LABEL - 20) / (last - first)
    shown = {track.process: [] for track in tracks}
    for track in tracks:
        events = [event for event in track.events if event.begin < last and event.end >= first]
        shown[track.process].append((track, events, max((event.lane for event in events), default=0) + 1))
    kinds = {event.category if event.category in _KINDS else "under way" for one in shown.values() for _, events, _ in one
             for event in events}
    top = 62
    height = top + 10 + sum(20 + sum(lanes * _LANE + 6 for _, _, lanes in one) for one in shown.values())
    drawing = Drawing(width, height, "timeline of " + ", ".join(processes))
    drawing.legend(_LABEL, 16, [_KINDS[kind] for kind in _KINDS if kind in kinds])
    drawing.text(_LABEL, 34, "steps of the emulator (warp instructions and engine steps, not time)"
                 + (f"; {dropped} events were not kept" if dropped else ""), font_size=10)
    step = _tick_step(last - first)
    for tick in range(math.ceil(first / step) * step, int(last) + 1, step):
        x = _LABEL + (tick - first) * scale
        drawing.add("line", class_="grid", x1=x, y1=top - 8, x2=x, y2=height - 6)
        drawing.text(x, top - 12, str(tick), font_size=10, text_anchor="middle")
    y = top
    for process, of_process in shown.items():
        drawing.text(8, y + 12, process, font_weight="bold", font_size=10)
        y += 20
        for track, events, lanes in of_process:
            group = drawing.add("g", class_="track", data_process=process, data_track=track.name)
            drawing.text(8, y + 10, track.name, parent=group, font_size=10)
            for event in events:
                begin, end = max(event.begin, first), min(event.end, last)
                drawing.add("rect", parent=group, class_="event", x=_LABEL + (begin - first) * scale, y=y + event.lane * _LANE,
                            width=max((end - begin) * scale, 1), height=_LANE - 2, tip=event.tip,
                            fill=_KINDS.get(event.category, _KINDS["under way"])[0], data_begin=event.begin,
                            data_end=event.end)
            y += lanes * _LANE + 6
    return drawing.picture(tracks)
