import { Page } from '#console/ui/page.tsx'

export function NewWorkflowScreen() {
  return <Page title="New workflow">{null}</Page>
}
