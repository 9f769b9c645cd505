import { Page } from '#console/ui/page.tsx'

export function TasksScreen() {
  return <Page title="Tasks">{null}</Page>
}
