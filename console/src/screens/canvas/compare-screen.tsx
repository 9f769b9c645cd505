import { Page } from '#console/ui/page.tsx'

export function CompareScreen() {
  return <Page title="Compare">{null}</Page>
}
