import { Page } from '#console/ui/page.tsx'

export function RunsScreen() {
  return <Page title="Runs">{null}</Page>
}
