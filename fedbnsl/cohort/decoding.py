"""From the bytes of a site's file to text: encodings, byte-order marks, what separates the columns."""

from dataclasses import replace

from fedbnsl.cohort.problems import Problems, setting
from fedbnsl.cohort.site_list import SiteFile
from fedbnsl.errors import InputError

SEPARATORS = {".csv": ",", ".tsv": "\t"}
_WRITTEN = {"\t": "a tab", ";": "a semicolon", ",": "a comma", "|": "a bar"}


def file_setting(site: SiteFile, **settings) -> str:
    known = {"separator": site.separator, "encoding": site.encoding}
    known["decimal"] = site.decimal if site.decimal != "." else None
    known.update(settings)
    given = {key: value for key, value in known.items() if value is not None}
    return setting("sites", {site.name: {"file": site.file, **given}})


def decoded(site: SiteFile, raw: bytes, problems: Problems) -> tuple[SiteFile, str]:
    encoding = site.encoding or "utf-8"
    wide = _wide_encoding(raw) if site.encoding is None else None
    if wide:
        encoding = wide
        problems.error(
            f"the text is {wide.upper()}, not UTF-8",
            f"Save it as UTF-8, or set {file_setting(site, encoding=encoding)}",
            site=site,
        )
        site = replace(site, encoding=encoding)
    elif raw[:3] == b"\xef\xbb\xbf":
        raw = raw[3:]
        problems.warning(
            "the file starts with a byte-order mark, which is skipped",
            "Other programs may take it for a part of the first name: save as UTF-8 without it",
            site=site,
        )
    try:
        return site, raw.decode(encoding)
    except LookupError:
        raise InputError(f"the encoding {encoding!r} is not known", remedy="Use utf-8, cp1252 …") from None
    except UnicodeDecodeError as error:
        row = raw[: error.start].count(b"\n") - 1
        problems.error(
            f"the text is not {encoding.upper()}: there is the byte {raw[error.start]:#04x}",
            f"Save it as UTF-8, or set {file_setting(site, encoding='cp1252')}, if that is what it is",
            site=site,
            row=row if row >= 0 else None,
        )
        return replace(site, encoding="cp1252"), raw.decode("cp1252", errors="replace")
    except UnicodeError as error:  # of a codec that is not made for such bytes
        raise InputError(
            f"the text is not {encoding.upper()} ({error})", remedy="Use utf-8, cp1252 …"
        ) from None


def _wide_encoding(raw: bytes) -> str | None:
    """UTF-32 or UTF-16 by its byte-order mark, or by NULs at every other place; else None."""
    if raw[:4] in (b"\xff\xfe\0\0", b"\0\0\xfe\xff"):
        return "utf-32"
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    start = raw[:200]
    for first, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        if (
            len(start) > 3
            and start[first::2].count(0) > 0.9 * len(start[first::2])
            and start[1 - first :: 2].count(0) == 0
        ):
            return encoding
    return None


def with_separator(site: SiteFile, header: str, problems: Problems) -> SiteFile:
    """The site; if its header line has none of its separator, with the one it has most of, and an error."""
    wanted = site.separator or SEPARATORS[site.suffix]
    if wanted in header:
        return site
    counts = {mark: header.count(mark) for mark in _WRITTEN if mark != wanted}
    best = max(counts, key=counts.get)
    if not counts[best]:
        return site
    problems.error(
        f"the columns are separated by {_WRITTEN[best]}, not by {_WRITTEN.get(wanted, repr(wanted))}",
        f"Set {file_setting(site, separator=best)}",
        site=site,
    )
    return replace(site, separator=best)
