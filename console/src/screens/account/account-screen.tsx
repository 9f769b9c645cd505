import { Page } from '#console/ui/page.tsx'

export function AccountScreen() {
  return <Page title="Account">{null}</Page>
}
