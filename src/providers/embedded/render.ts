import { Resvg, type ResvgRenderOptions } from '@resvg/resvg-js'
import { fontPath } from './art/caption.ts'

const options: ResvgRenderOptions = {
  font: { loadSystemFonts: false, fontFiles: [fontPath], defaultFontFamily: 'Inter' },
  logLevel: 'off',
}

export const renderPng = (svg: string): Uint8Array => new Resvg(svg, options).render().asPng()

/** Premultiplied RGBA. */
export const renderPixels = (svg: string): Uint8Array => new Resvg(svg, options).render().pixels
