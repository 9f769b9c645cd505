import { Type } from '#core/schema.ts'
import { defineInput, type InputConfig } from './input-node.ts'
import type { NodeType } from './node-type.ts'
import { isMediaUrl, mediaUrlPattern, readAs } from './port-values.ts'

/** A run receives an address; the following nodes receive the stored image or video. */
export const defineMediaInput = (kind: 'image' | 'video', help: string): NodeType =>
  defineInput<InputConfig>({
    type: `input.${kind}`,
    portType: kind,
    canvas: { label: kind === 'image' ? 'Image input' : 'Video input', icon: kind, help },
    settings: {
      default: Type.Optional(
        Type.String({ description: `An http(s) address or a data:${kind}/… URL.` }),
      ),
    },
    schema: () => ({
      type: 'string',
      format: 'uri',
      contentMediaType: `${kind}/*`,
      pattern: mediaUrlPattern(kind),
      examples: [`https://example.com/${kind === 'image' ? 'picture.png' : 'film.mp4'}`],
    }),
    problem: (_, value) =>
      isMediaUrl(value, kind) ? null : `must be an http(s) address or a data:${kind}/… URL`,
    async execute(context, { ports: { value } }) {
      if (value === null || value === undefined) return { value: null }
      return { value: await readAs(context, kind, value) }
    },
  })
