"""Verilog: the text of a component, from the cache when no source changed."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import importlib.util
import json
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cubecast.tb.harness.cache import cache_dir, digest, kept_verilog, put
from cubecast.tb.harness.toolchain import package_version
from cubecast.tb.harness.yosys import begin, writer

__all__ = ["share_modules", "verilog_of"]

HARDWARE = "cubecast.rtl"
"""Where units are whose modules are kept: all that shapes them is in the sources that all Verilog is named by."""


def verilog_of(
    component: str,
    config: Any,
    extra: Mapping[str, Any] | None = None,
    *,
    name: str = "top",
    sources: bool = False,
    presets: Mapping[str, int] | None = None,
) -> str:
    """Return the Verilog of a component, from the cache when no source changed.

    Parameters
    ----------
    component : str
        ``"package.module:Class"``; imported only when the Verilog is not in the cache.
    config : Config
        First argument of the class.
    extra : dict
        Its keyword arguments, plain values.
    name : str
        Name of the top module.
    sources : bool
        With attributes that say which line of Python everything comes from.
    presets : dict
        Registers that have another value after a reset, as of :func:`cubecast.tb.harness.presets.preset`.
    """
    extra = dict(extra or {})
    parts = [component, name, config.to_json(), json.dumps(extra), _sources_digest(component), *_tools()]
    if sources:
        parts.append(_file_digest(Path(__file__).with_name("located.py")))
    if presets:
        parts += [json.dumps(dict(presets)), _file_digest(Path(__file__).with_name("presets.py"))]
    key = digest(*parts)
    kept = cache_dir() / "verilog" / f"{component.rpartition(':')[2]}-{key}.v"
    text = kept_verilog(kept)
    if text is None:
        text = _convert(component, config, extra, name, sources=sources, presets=presets or {})
        put(kept, text.encode())
    return text


def _sources_digest(component: str) -> str:
    """Return a digest of every source file that can shape the Verilog of ``component``."""
    module = component.partition(":")[0]
    spec = importlib.util.find_spec(module)
    own = [] if spec is None or spec.origin is None else [_file_digest(Path(spec.origin))]
    return digest(*_shared_digests(), *own)


@functools.cache
def _shared_digests() -> list[str]:
    """Return the digests of what can shape any Verilog, as it is when this process asks first."""
    root = Path(__file__).resolve().parents[2]
    files = sorted([*(root / "rtl").rglob("*.py"), *(root / "golden").glob("*/contract/*.py")])
    return list(map(_file_digest, files))


def _tools() -> list[str]:
    """Return the versions of what writes any Verilog."""
    return [package_version("amaranth"), writer()]


def _file_digest(file: Path) -> str:
    """Return the digest of a file's content."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _convert(
    component: str, config: Any, extra: dict[str, Any], name: str, *, sources: bool, presets: Mapping[str, int]
) -> str:
    """Import, construct and convert a component."""
    begin()
    module, _, attribute = component.partition(":")
    unit = getattr(importlib.import_module(module), attribute)
    if presets:
        unit = importlib.import_module("cubecast.tb.harness.presets").preset(unit, presets)
    writer = importlib.import_module(f"{HARDWARE}.common.verilog")
    instance = unit(config, **extra)
    if not sources:
        plain = all(isinstance(given, int | str) for given in extra.values())
        ours = plain and unit.__module__.startswith(f"{HARDWARE}.")
        return str(writer.write(instance, name, made_of=(config, extra) if ours else None, kept=_modules))
    with importlib.import_module("cubecast.tb.harness.located").located():
        return str(writer.write(instance, name, sources=True))


class _Modules(dict[tuple[str, Any], Any]):
    """Modules in Verilog, by name and unit: those that this process knows, and in the cache those of all others."""

    def get(self, key: tuple[str, Any], default: Any = None) -> Any:
        """Return a module, from the cache if this process has not had it."""
        # A machine that goes down can leave a file empty or short.
        with contextlib.suppress(FileNotFoundError, EOFError, pickle.UnpicklingError):
            if key not in self:
                unit, module = pickle.loads(self._place(key).read_bytes())
                if unit == key[1]:
                    super().__setitem__(key, module)
        return super().get(key, default)

    def __setitem__(self, key: tuple[str, Any], module: Any) -> None:
        """Keep a module; in the cache, if it is one of the hardware."""
        super().__setitem__(key, module)
        if key[1].unit.__module__.startswith(f"{HARDWARE}."):
            put(self._place(key), pickle.dumps((key[1], module)))

    def _place(self, key: tuple[str, Any]) -> Path:
        """Return the file of a module."""
        return cache_dir() / "modules" / f"{key[0]}-{_hardware_digest()}"


def _hardware_digest() -> str:
    """Return a digest of all that can shape a module of the hardware, but its parameters."""
    return digest(*_shared_digests(), *_tools())


_modules = _Modules()


def share_modules() -> None:
    """Let all Verilog that this process writes be made of the modules of the cache, too."""
    importlib.import_module(f"{HARDWARE}.common.verilog").keep_in(_modules)
