"""How Sphinx makes a site of the written pages and of the docstrings; `make docs`."""

import re
from typing import Any

import cubecast

project = "cubecast"
version = release = cubecast.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["studies/*", "load/*", "packet_load/*", "timing/*", "site/*"]
root_doc = "index"
html_theme = "alabaster"
html_title = f"cubecast {release}"
html_show_copyright = False
html_theme_options = {
    "description": "Hypercube interconnect hardware that multicasts",
    "page_width": "1300px",
    "body_max_width": "1000px",
}
# Holds custom.css, which the theme loads last.
html_static_path = ["static"]
# Headings are linked as code hosts do it.
myst_heading_anchors = 4
napoleon_custom_sections = ["Source"]
autodoc_member_order = "bysource"
autodoc_typehints = "none"
# A role that leads nowhere is an error; types of parameters are words of English, and constants have no entries.
nitpicky = True
nitpick_ignore_regex = [("py:class", ".*"), ("py:data", "[A-Z]+")]


def without_files(app: Any, docname: str, source: list[str]) -> None:
    """Turn links to pages outside docs/, which the site has not, into their words."""
    source[0] = re.sub(r"\[([^\]]*)\]\(\.\./[A-Z]+\.md[^)]*\)", r"\1", source[0])


def without_type(app: Any, what: str, name: str, found: Any, options: Any, lines: list[str]) -> None:
    """Keep napoleon from taking the words before a colon for the type of an attribute: an empty comment comes first."""
    if what in ("attribute", "data", "property") and lines:
        lines[:0] = ["..", ""]


def setup(app: Any) -> None:
    """Register what changes pages and docstrings."""
    app.connect("source-read", without_files)
    app.connect("autodoc-process-docstring", without_type, priority=400)
