"""Projects: what is audited, written down once; and proposals for it."""

from unveil.projects._project import Data, Project, ReleaseAsked
from unveil.projects._proposal import ColumnProposal, Proposal
from unveil.projects._propose import propose
from unveil.projects._running import same_records

__all__ = [
    "ColumnProposal",
    "Data",
    "Project",
    "Proposal",
    "ReleaseAsked",
    "propose",
    "same_records",
]
