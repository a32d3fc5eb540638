"""A user's own sites: files to clean sites, and the check that says what is wrong with them."""

import lazy_loader

# No module here is named like a public function: importing it would put the module in the function's place.
__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "examination": ["check", "read"],
        "examples": ["EXAMPLES", "write_example"],
        "knowledge": ["Knowledge"],
        "problems": ["Problem"],
        "results": ["Cohort", "CohortReport", "Note"],
        "section": ["Section", "SiteFile", "check_section"],
    },
)
