"""PNG files as they go into the page: inside it, with their size, so that nothing moves while it loads."""

import base64
import struct
from dataclasses import dataclass

from raylib.errors import DataError

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_PIXELS_PER_CSS_PIXEL = 2


@dataclass(frozen=True)
class Image:
    """An image ready for an `img` element. Width and height in CSS pixels."""

    uri: str
    width: int
    height: int


def image(png: bytes, title: str) -> Image:
    """Return a PNG at two pixels a CSS pixel as a data URI with its size.

    Raises:
        DataError: the bytes are not a PNG.
    """
    if not png.startswith(_SIGNATURE) or len(png) < 24:
        raise DataError(f"figure {title!r} is not a PNG file: a study's sections() must give PNG bytes")
    width, height = struct.unpack(">II", png[16:24])  # the IHDR chunk, always the first
    uri = "data:image/png;base64," + base64.b64encode(png).decode("ascii")
    return Image(uri, -(-width // _PIXELS_PER_CSS_PIXEL), -(-height // _PIXELS_PER_CSS_PIXEL))
