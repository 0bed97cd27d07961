"""A figure as Vega-Lite, which Jupyter draws."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from seamark.command import Error

_FORMATS = {".svg": "svg", ".png": "png"}


class Chart:
    """What `Store.chart` gives. `spec` is the Vega-Lite document, numbers included; it loads nothing.

    `altair.Chart.from_dict(chart.spec)` goes on from there.
    """

    exhibit: str
    spec: dict[str, Any]

    def __init__(
        self, exhibit: str, spec: dict[str, Any], draw: Callable[[str], bytes] | None = None
    ) -> None:
        self.exhibit = exhibit
        self.spec = spec
        self._draw = draw

    @property
    def title(self) -> str:
        title = self.spec.get("title", "")
        text = title.get("text", "") if isinstance(title, dict) else title
        return " ".join(text) if isinstance(text, list) else str(text)

    def svg(self) -> str:
        """Drawn by vl-convert, in a process of its own (`seamark targets install charts`)."""
        return self._drawn("svg").decode()

    def png(self) -> bytes:
        return self._drawn("png")

    def _drawn(self, form: str) -> bytes:
        if self._draw is None:
            raise Error(
                f"{self.exhibit}: this chart has no store to be drawn from", "use Store.chart"
            )
        return self._draw(form)

    def save(self, path: str | os.PathLike[str]) -> None:
        """As .svg, .png, or .json: the specification."""
        import json

        file = Path(path)
        if file.suffix == ".json":
            file.write_text(json.dumps(self.spec, indent=1) + "\n")
        elif form := _FORMATS.get(file.suffix):
            file.write_bytes(self._drawn(form))
        else:
            raise Error(
                f"the name '{file.name}' does not say which format it is to be",
                "end it with .svg, .png or .json",
            )

    def __repr__(self) -> str:
        return f"<seamark.Chart {self.exhibit}: {self.title}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        major = _major_version(self.spec.get("$schema", ""))
        bundle: dict[str, Any] = {
            f"application/vnd.vegalite.v{major}+json": self.spec,
            "text/plain": repr(self),
        }
        try:  # for who shows no Vega-Lite: GitHub, nbconvert
            bundle["image/svg+xml"] = self.svg()
        except Error:
            pass
        return bundle


def _major_version(schema: str) -> str:
    """Of https://vega.github.io/schema/vega-lite/v6.json."""
    name = schema.rsplit("/", 1)[-1]
    number = name.removeprefix("v").split(".", 1)[0]
    return number if number.isdigit() else "6"
