import { Failure } from '#core/errors.ts'
import { Type } from '#core/schema.ts'
import {
  estimateMedia,
  estimateMediaCall,
  maskAlone,
  readMediaInputs,
  readPicture,
} from '../node/media-node.ts'
import {
  checkModel,
  choices,
  ModelCredential,
  ModelId,
  modelCredential,
  modelOf,
} from '../node/model-config.ts'
import { type NodeReuse, ReuseSetting } from '../node/node-reuse.ts'
import { defineNode, fixedPorts } from '../node/node-type.ts'

const modelKinds = ['IMAGE'] as const

type Config = {
  model: string
  imageAspectRatio?: string
  imageQuality?: string
  imageSampleSize?: string
  credential?: string
  reuse?: NodeReuse
}

const ports = fixedPorts(
  { prompt: 'text!', image: 'image', mask: 'image' },
  { image: 'image', images: 'list' },
)
const Word = (title: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 100, title, description: choices }))

export const imageGenerate = defineNode<Config>({
  type: 'image.generate',
  canvas: {
    label: 'Generate image',
    group: 'generate',
    icon: 'image-plus',
    help: 'Makes a picture from a prompt, and from another picture if you connect one. A mask says which part of that may change, for models that take one.',
  },
  config: Type.Object({
    model: ModelId,
    imageAspectRatio: Word('Aspect ratio'),
    imageQuality: Word('Quality'),
    imageSampleSize: Word('Size'),
    credential: ModelCredential,
    reuse: ReuseSetting,
  }),
  pure: false,
  modelKinds,
  ports: () => ports,
  model: modelOf,
  credential: modelCredential,
  check: (config, env) => checkModel(config, modelKinds, env),
  estimate: ({ config: { reuse, ...config }, inputs: { ports }, env }) =>
    estimateMediaCall(
      { env, reuse, ports },
      { call: callOf(config), outputs: (made) => ({ image: made[0], images: made }) },
      () =>
        estimateMedia(env, config.model, {
          units: { images: 1 },
          ...{ prompt: ports.prompt, image: ports.image, mask: ports.mask },
          outputs: ['image', 'images'],
        }),
    ),
  async execute(context, inputs, config) {
    const given = await readMediaInputs(context, inputs)
    const mask = await readPicture(context, inputs.ports.mask)
    if (mask && !given.image) throw new Failure('INVALID_REQUEST', { message: maskAlone })
    const images = await context.createMediaTask({ ...callOf(config), ...given, mask })
    return { image: images[0], images }
  },
})

const callOf = ({ model, credential, ...parameters }: Config) => {
  const { imageAspectRatio, imageQuality, imageSampleSize } = parameters
  return {
    kind: 'IMAGE' as const,
    ...{ model, credential },
    parameters: { imageAspectRatio, imageQuality, imageSampleSize },
  }
}
