import { Type } from '#core/schema.ts'
import { estimateMedia, estimateMediaCall, readMediaInputs } from '../node/media-node.ts'
import {
  checkModel,
  choices,
  ModelCredential,
  ModelId,
  modelCredential,
  modelOf,
} from '../node/model-config.ts'
import { type NodeReuse, ReuseSetting } from '../node/node-reuse.ts'
import {
  defineNode,
  type Estimated,
  type EstimateEnv,
  fixedPorts,
  type Guess,
  type NodeInputs,
} from '../node/node-type.ts'

const modelKinds = ['VIDEO'] as const

type Config = {
  model: string
  videoAspectRatio?: string
  videoSeconds?: number
  videoResolution?: string
  videoGenerateAudio?: boolean
  credential?: string
  reuse?: NodeReuse
}

const ports = fixedPorts({ prompt: 'text!', image: 'image' }, { video: 'video' })
const Word = (title: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 100, title, description: choices }))
/** Used where neither the request nor the model says how long a video is. */
export const assumedSeconds = 5

export const videoGenerate = defineNode<Config>({
  type: 'video.generate',
  canvas: {
    label: 'Generate video',
    group: 'generate',
    icon: 'clapperboard',
    help: 'Makes a video from a prompt, and from a first picture if you connect one.',
  },
  config: Type.Object({
    model: ModelId,
    videoAspectRatio: Word('Aspect ratio'),
    videoSeconds: Type.Optional(
      Type.Integer({ minimum: 1, title: 'Length', description: 'In seconds.' }),
    ),
    videoResolution: Word('Resolution'),
    videoGenerateAudio: Type.Optional(Type.Boolean({ title: 'Generate audio' })),
    credential: ModelCredential,
    reuse: ReuseSetting,
  }),
  pure: false,
  modelKinds,
  ports: () => ports,
  model: modelOf,
  credential: modelCredential,
  check: (config, env) => checkModel(config, modelKinds, env),
  estimate: ({ config, inputs: { ports }, env }) =>
    estimateMediaCall(
      { env, reuse: config.reuse, ports },
      { call: callOf(config), outputs: ([video]) => ({ video }) },
      () => estimateVideo(config, ports, env),
    ),
  async execute(context, inputs, config) {
    const given = await readMediaInputs(context, inputs)
    const [video] = await context.createMediaTask({ ...callOf(config), ...given })
    return { video }
  },
})

function estimateVideo(
  config: Config,
  ports: NodeInputs<Guess>['ports'],
  env: EstimateEnv,
): Estimated {
  const declared =
    config.videoSeconds ?? env.models(config.model)?.capabilities.videoSeconds?.default
  const videoSeconds = declared ?? assumedSeconds
  const estimated = estimateMedia(env, config.model, {
    units: { videoSeconds },
    prompt: ports.prompt,
    outputs: ['video'],
  })
  if (declared !== undefined) return estimated
  const assumption = `Neither the node nor the model says how long the video is: ${assumedSeconds} s are assumed.`
  return { ...estimated, exact: false, assumptions: [...estimated.assumptions, assumption] }
}

const callOf = ({ model, credential, ...parameters }: Config) => {
  const { videoAspectRatio, videoSeconds, videoResolution, videoGenerateAudio } = parameters
  return {
    kind: 'VIDEO' as const,
    ...{ model, credential },
    parameters: { videoAspectRatio, videoSeconds, videoResolution, videoGenerateAudio },
  }
}
