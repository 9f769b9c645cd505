import type { ConsolePage } from '../support/console-browser.ts'
import type { ScreenSamples } from './screen-content.ts'

export type Screen = {
  name: string
  path(samples: ScreenSamples): string
  /** The file of the console that draws the dialog or panel of this screen. */
  opens?: string
  /** Opens something on the screen. */
  prepare?(page: ConsolePage): Promise<void>
  signedIn?: false
  /** Problems that the screen causes on purpose. */
  expected?: RegExp
}
