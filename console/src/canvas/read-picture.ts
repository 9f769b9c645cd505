import { formatBytes } from '#console/lib/bytes.ts'
import { pictureAsNode } from './paste-as-node.ts'

/** The picture becomes part of the graph, which must stay small enough to be saved. */
const mostBytes = 512 * 1024

type Read =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly why: string }

/** A pasted picture as an image input that holds it. */
export async function readPicture(file: File): Promise<Read> {
  if (!file.type.startsWith('image/'))
    return { ok: false, why: `${file.name || 'This file'} is not a picture.` }
  if (file.size > mostBytes) {
    return {
      ok: false,
      why: `The picture has ${formatBytes(file.size)}; a graph takes up to ${formatBytes(mostBytes)}. Add an image input, and give it the picture when you run.`,
    }
  }
  const reader = new FileReader()
  const loaded = new Promise<string>((done, fail) => {
    reader.onload = () => done(String(reader.result))
    reader.onerror = () => fail(reader.error)
  })
  reader.readAsDataURL(file)
  return { ok: true, text: pictureAsNode(await loaded) }
}
