import { Page } from '#console/ui/page.tsx'

export function VideoScreen() {
  return <Page title="Video">{null}</Page>
}
