import { Resvg } from '@resvg/resvg-js'
import { fontPaths } from './art/type.ts'

function render(svg: string) {
  // Fonts are read from disk for each rendering, so only those in use are named.
  const inUse = Object.entries(fontPaths).filter(([weight]) =>
    svg.includes(`font-weight="${weight}"`),
  )
  const font = { loadSystemFonts: false, fontFiles: inUse.map(([, path]) => path) }
  return new Resvg(svg, { font, logLevel: 'off' }).render()
}

export const renderPng = (svg: string): Uint8Array => render(svg).asPng()

/** Premultiplied RGBA. */
export const renderPixels = (svg: string): Uint8Array => render(svg).pixels
