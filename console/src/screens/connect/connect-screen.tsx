import { Page } from '#console/ui/page.tsx'

export function ConnectScreen() {
  return <Page title="Connect">{null}</Page>
}
