// Models of fal and Replicate, which host other vendors' pictures and videos.
import {
  type BuiltinModel,
  cited,
  commonRatios,
  flat,
  from,
  lengths,
  seesImages,
  through,
} from './builtin-model.ts'

/** The SDK has exact types for the inputs of many models. */
const falSdk = cited('npm:@fal-ai/client@1.10.1', '2026-11-15')
const replicatePage = (model: string) => cited(`https://replicate.com/${model}/api`, '2026-11-15')
const falSizes = ['1:1', '4:3', '3:4', '16:9', '9:16']
const seedanceRatios = ['21:9', '16:9', '4:3', '1:1', '3:4', '9:16']

export const falModels: BuiltinModel[] = [
  {
    ...from('fal', 'fal-ai/flux/schnell', 'flux-schnell'),
    name: 'FLUX.1 [schnell]',
    kind: 'IMAGE',
    description: 'Open-weight pictures in a few steps.',
    capabilities: {
      inputModalities: ['text'],
      imageAspectRatios: falSizes,
      mediaOptions: ['seed', 'output_format'],
    },
    facts: falSdk,
    pricing: flat(
      { perImage: 0.003 },
      '2026-05-25',
      'https://fal.ai/models/fal-ai/flux/schnell',
      '2026-11-16',
    ),
  },
  {
    ...from('fal', 'fal-ai/nano-banana-2', 'nano-banana-2'),
    name: 'Nano Banana 2',
    kind: 'IMAGE',
    description: 'Google’s picture model, also for editing, at 1K.',
    capabilities: {
      inputModalities: seesImages,
      maxInputImages: 14,
      imageAspectRatios: [...commonRatios, '1:4', '4:1', '1:8', '8:1'],
      imageSampleSizes: ['1K'],
      mediaOptions: ['seed', 'output_format'],
    },
    facts: falSdk,
    pricing: flat(
      { perImage: 0.08 },
      '2026-11-15',
      'https://fal.ai/models/fal-ai/nano-banana-2/edit/llms.txt',
    ),
  },
  {
    ...from('fal', 'bytedance/seedance-2.0/mini/text-to-video', 'seedance-2.0-mini'),
    name: 'Seedance 2.0 Mini',
    kind: 'VIDEO',
    description: 'Fast video with sound, at 720p.',
    capabilities: {
      inputModalities: ['text'],
      videoAspectRatios: seedanceRatios,
      videoResolutions: ['720p'],
      videoSeconds: lengths(through(4, 15), 5),
      videoAudio: true,
    },
    facts: cited(
      'https://fal.ai/models/bytedance/seedance-2.0/mini/text-to-video/llms.txt',
      '2026-11-15',
    ),
    pricing: flat(
      { perSecond: 0.1547 },
      '2026-11-15',
      'https://fal.ai/models/bytedance/seedance-2.0/mini/text-to-video/llms.txt',
    ),
  },
  {
    ...from('fal', 'fal-ai/kling-video/v3/4k/text-to-video', 'kling-3-4k'),
    name: 'Kling 3.0 4K',
    kind: 'VIDEO',
    description: 'Video in native 4K, with or without sound.',
    capabilities: {
      inputModalities: seesImages,
      videoAspectRatios: ['16:9', '9:16', '1:1'],
      videoSeconds: lengths(through(3, 15), 5),
      videoAudio: true,
      mediaOptions: ['negative_prompt'],
    },
    facts: cited(
      'https://fal.ai/models/fal-ai/kling-video/v3/4k/text-to-video/llms.txt',
      '2026-11-15',
    ),
    pricing: flat(
      { perSecond: 0.42 },
      '2026-11-15',
      'https://fal.ai/models/fal-ai/kling-video/v3/4k/text-to-video/llms.txt',
    ),
  },
  {
    // Without a price, because it depends on whether there is sound.
    ...from('fal', 'fal-ai/veo3.1/fast', 'veo-3.1-fast'),
    name: 'Veo 3.1 Fast',
    kind: 'VIDEO',
    description: 'Google’s video model with sound, from words or a first frame.',
    capabilities: {
      inputModalities: seesImages,
      videoAspectRatios: ['16:9', '9:16'],
      videoResolutions: ['720p', '1080p'],
      videoSeconds: lengths([4, 6, 8], 8),
      videoAudio: true,
      mediaOptions: ['seed', 'negative_prompt'],
    },
    facts: falSdk,
  },
]

export const replicateModels: BuiltinModel[] = [
  {
    ...from('replicate', 'black-forest-labs/flux-schnell', 'flux-schnell'),
    name: 'FLUX.1 [schnell]',
    kind: 'IMAGE',
    description: 'Open-weight pictures in a few steps.',
    capabilities: {
      inputModalities: ['text'],
      imageAspectRatios: [...commonRatios, '9:21'],
      mediaOptions: ['seed'],
    },
    facts: replicatePage('black-forest-labs/flux-schnell'),
    pricing: flat({ perImage: 0.003 }, '2026-05-25', 'https://replicate.com/pricing', '2026-11-16'),
  },
  {
    ...from('replicate', 'black-forest-labs/flux-2-pro', 'flux-2-pro'),
    name: 'FLUX.2 [pro]',
    kind: 'IMAGE',
    description: 'High-quality pictures, also from reference pictures.',
    capabilities: { inputModalities: seesImages, maxInputImages: 8, mediaOptions: ['seed'] },
    facts: replicatePage('black-forest-labs/flux-2-pro'),
  },
  {
    ...from('replicate', 'bytedance/seedance-2.0-fast', 'seedance-2.0-fast'),
    name: 'Seedance 2.0 Fast',
    kind: 'VIDEO',
    description: 'Video with sound, from words or a first frame.',
    capabilities: {
      inputModalities: seesImages,
      videoAspectRatios: seedanceRatios,
      videoResolutions: ['480p', '720p'],
      videoSeconds: lengths(through(4, 15), 5),
      videoAudio: true,
      mediaOptions: ['seed'],
    },
    facts: replicatePage('bytedance/seedance-2.0-fast'),
  },
]
