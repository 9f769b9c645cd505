import { Resvg } from '@resvg/resvg-js'
import { fontPath } from './art/type.ts'

function render(svg: string) {
  // The font is read from disk for each rendering, so only where there are words.
  const fontFiles = svg.includes('<text') ? [fontPath] : []
  const font = { loadSystemFonts: false, fontFiles, defaultFontFamily: 'Inter' }
  return new Resvg(svg, { font, logLevel: 'off' }).render()
}

export const renderPng = (svg: string): Uint8Array => render(svg).asPng()

/** Premultiplied RGBA. */
export const renderPixels = (svg: string): Uint8Array => render(svg).pixels
