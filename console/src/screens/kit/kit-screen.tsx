import { Page } from '#console/ui/page.tsx'
import { KitCharts } from './kit-charts.tsx'
import { KitControls } from './kit-controls.tsx'
import { KitFloating } from './kit-floating.tsx'
import { KitMedia } from './kit-media.tsx'
import { KitStates } from './kit-states.tsx'
import { KitTables } from './kit-tables.tsx'

/** Every component in every state, for designers and tests. */
export function KitScreen() {
  return (
    <Page title="Kit" lead="Every component in every state.">
      <KitControls />
      <KitFloating />
      <KitStates />
      <KitTables />
      <KitMedia />
      <KitCharts />
    </Page>
  )
}
