import { Page } from '#console/ui/page.tsx'

export function RunScreen() {
  return <Page title="Run">{null}</Page>
}
