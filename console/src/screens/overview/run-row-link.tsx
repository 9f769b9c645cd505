import type { ReactNode } from 'react'
import type { ListedRun } from '#console/api/types.ts'
import { RowLink } from './row-link.tsx'

export const RunRowLink = ({ run, children }: { run: ListedRun; children: ReactNode }) => (
  <RowLink
    to="/runs/$runId"
    params={{ runId: run.runId }}
    name={run.workflowName}
    at={run.createdAt}
  >
    {children}
  </RowLink>
)
