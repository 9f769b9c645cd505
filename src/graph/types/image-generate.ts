import { Type } from '#core/schema.ts'
import { estimateMedia, readMediaInputs } from '../node/media-node.ts'
import {
  checkModel,
  choices,
  ModelCredential,
  ModelId,
  modelCredential,
  modelOf,
} from '../node/model-config.ts'
import { defineNode, fixedPorts } from '../node/node-type.ts'

const modelKinds = ['IMAGE'] as const

type Config = {
  model: string
  imageAspectRatio?: string
  imageQuality?: string
  imageSampleSize?: string
  credential?: string
}

const ports = fixedPorts({ prompt: 'text!', image: 'image' }, { image: 'image', images: 'list' })
const Word = (title: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 100, title, description: choices }))

export const imageGenerate = defineNode<Config>({
  type: 'image.generate',
  canvas: {
    label: 'Generate image',
    group: 'generate',
    icon: 'image-plus',
    help: 'Makes a picture from a prompt, and from another picture if you connect one.',
  },
  config: Type.Object({
    model: ModelId,
    imageAspectRatio: Word('Aspect ratio'),
    imageQuality: Word('Quality'),
    imageSampleSize: Word('Size'),
    credential: ModelCredential,
  }),
  pure: false,
  modelKinds,
  ports: () => ports,
  model: modelOf,
  credential: modelCredential,
  check: (config, env) => checkModel(config, modelKinds, env),
  estimate: ({ config, inputs: { ports }, env }) =>
    estimateMedia(env, config.model, {
      units: { images: 1 },
      ...{ prompt: ports.prompt, image: ports.image },
      outputs: ['image', 'images'],
    }),
  async execute(context, inputs, { model, credential, ...parameters }) {
    const { imageAspectRatio, imageQuality, imageSampleSize } = parameters
    const images = await context.createMediaTask({
      kind: 'IMAGE',
      model,
      credential,
      ...(await readMediaInputs(context, inputs)),
      parameters: { imageAspectRatio, imageQuality, imageSampleSize },
    })
    return { image: images[0], images }
  },
})
