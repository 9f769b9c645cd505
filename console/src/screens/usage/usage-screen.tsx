import { Page } from '#console/ui/page.tsx'

export function UsageScreen() {
  return <Page title="Usage">{null}</Page>
}
