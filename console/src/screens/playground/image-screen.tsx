import { Page } from '#console/ui/page.tsx'

export function ImageScreen() {
  return <Page title="Image">{null}</Page>
}
