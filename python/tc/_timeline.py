"""The timeline of a run, drawn from the JSON that tc-run --trace writes for Perfetto."""
from __future__ import annotations

import json
from dataclasses import dataclass, field

from ._errors import InputError
from ._svg import Drawing, Picture

_FILL = {"warp": "#7fb2dd", "wait": "#eeeeee", "step": "#f3a25f"}
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


def draw_timeline(trace, width: int = 960) -> Picture:
    tracks, dropped = read_tracks(trace)
    if not tracks:
        raise InputError("expected a trace with events, got none")
    end = max(event.end for track in tracks for event in track.events) or 1
    scale = (width - _LABEL - 20) / end
    processes = list(dict.fromkeys(track.process for track in tracks))
    height = 60 + sum(track.lanes * _LANE + 6 for track in tracks) + 20 * len(processes)
    drawing = Drawing(width, height, "timeline of " + ", ".join(processes))
    steps = f"{end} steps of the emulator" + (f"; {dropped} events were not kept" if dropped else "")
    drawing.text(_LABEL, 18, steps, font_size=10)
    y, process = 30, None
    for track in tracks:
        if track.process != process:
            process = track.process
            drawing.text(8, y + 12, process, font_weight="bold", font_size=10)
            y += 20
        group = drawing.add("g", class_="track", data_process=track.process, data_track=track.name)
        drawing.text(8, y + 10, track.name, parent=group, font_size=10)
        for event in track.events:
            drawing.add("rect", parent=group, class_="event", x=_LABEL + event.begin * scale, y=y + event.lane * _LANE,
                        width=max((event.end - event.begin) * scale, 0.5), height=_LANE - 2, tip=event.tip,
                        fill=_FILL.get(event.category, "#c9a3d6" if event.category == "under way" else "#e06666"),
                        data_begin=event.begin, data_end=event.end)
        y += track.lanes * _LANE + 6
    return drawing.picture(tracks)
