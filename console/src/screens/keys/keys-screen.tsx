import { useTrail } from '#console/lib/breadcrumb.ts'
import { useCommand } from '#console/lib/commands.ts'
import { Page } from '#console/ui/page.tsx'

export function KeysScreen() {
  useTrail('API keys')
  useCommand({ id: 'example', label: 'Example', group: 'Do', run: () => undefined })
  return <Page title="API keys">{null}</Page>
}
