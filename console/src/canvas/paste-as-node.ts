// Anything else than nodes on the clipboard becomes a node: a picture, an address, JSON or a text. Pure.
import type { Graph, GraphNode } from './graph.ts'

const pictures = /\.(png|jpe?g|webp|gif|avif)$/i
const videos = /\.(mp4|webm|mov)$/i
/** A text beyond this is more than a setting of a node should hold. */
const longestText = 20_000

/** As copied nodes, to be pasted like them; null if the text is empty or too long. */
export function textAsNode(text: string): string | null {
  const content = text.trim()
  if (content === '' || content.length > longestText) return null
  return asGraph(nodeFor(content))
}

export const pictureAsNode = (dataUrl: string): string =>
  asGraph({ id: 'image', type: 'input.image', data: { default: dataUrl } })

type NewNode = Pick<GraphNode, 'id' | 'type' | 'data'>

function nodeFor(content: string): NewNode {
  const address = addressIn(content)
  if (address) {
    if (pictures.test(address.pathname))
      return { id: 'image', type: 'input.image', data: { default: content } }
    if (videos.test(address.pathname))
      return { id: 'video', type: 'input.video', data: { default: content } }
    return { id: 'request', type: 'http.request', data: { url: content } }
  }
  const json = jsonIn(content)
  return json === undefined
    ? { id: 'text', type: 'input.text', data: { default: content } }
    : { id: 'json', type: 'input.json', data: { default: json } }
}

function addressIn(content: string): URL | null {
  if (!/^https?:\/\/\S+$/.test(content)) return null
  return URL.canParse(content) ? new URL(content) : null
}

/** An object or a list; a bare word or number is a text. */
function jsonIn(content: string): unknown {
  if (!/^[[{]/.test(content)) return undefined
  try {
    return JSON.parse(content)
  } catch {
    return undefined
  }
}

const asGraph = (node: NewNode): string =>
  JSON.stringify({ nodes: [node], connections: [] } satisfies Graph)
