import { Page } from '#console/ui/page.tsx'

export function WorkflowsScreen() {
  return <Page title="Workflows">{null}</Page>
}
