"""What schemathesis is told of the `http` door beside its description.

An answer may be held for half a minute, which a run of a minute has no time for: a wait that is right becomes
a short one. What is no wait stays as it is, to be refused.
"""

import re

import schemathesis

RIGHT = re.compile(r"(?:[0-9]|[12][0-9]|30)s|(?:[0-9]{1,4}|[12][0-9]{4}|30000)ms")


@schemathesis.hook
def before_call(context, case, kwargs):
    wait = (case.query or {}).get("wait")
    if isinstance(wait, str) and RIGHT.fullmatch(wait):
        case.query["wait"] = "5ms"
