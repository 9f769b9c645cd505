import { Page } from '#console/ui/page.tsx'

export function CanvasScreen() {
  return <Page title="Workflow">{null}</Page>
}
