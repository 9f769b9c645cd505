import { Page } from '#console/ui/page.tsx'

export function WebhooksScreen() {
  return <Page title="Webhooks">{null}</Page>
}
