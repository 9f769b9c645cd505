import { Page } from '#console/ui/page.tsx'

export function TaskScreen() {
  return <Page title="Task">{null}</Page>
}
