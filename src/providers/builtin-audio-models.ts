// Models for speech and transcripts that are offered when their provider's key is set. Only prices
// that the price data does not have are given here.
import { type BuiltinModel, cited, flat, from } from './builtin-model.ts'

/** The names, formats and inputs of the models, as the SDK documents them. */
const openAiSdk = cited('npm:openai@7.53.0', '2026-11-16')
const heard: BuiltinModel['capabilities']['inputModalities'] = ['text', 'audio']

const perCharacter = (inputPerMillionCharacters: number, model: string) =>
  flat(
    { inputPerMillionCharacters },
    '2026-11-16',
    `https://developers.openai.com/api/docs/models/${model}`,
  )

/** Gemini sends bare samples; for `wav` our adapter adds the header. */
const geminiSpeech: BuiltinModel['capabilities'] = {
  inputModalities: ['text'],
  maxInputTokens: 8_192,
  maxOutputTokens: 16_384,
  speechFormats: ['wav', 'pcm'],
  speechEvents: true,
}
const geminiSpeechPage = cited(
  'https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/speech/text-to-speech',
  '2026-11-16',
)
const launchPrices = 'https://github.com/BerriAI/litellm/discussions/42776'
/** The launch prices double in the new year. */
const untilNewYear = (outputPerMillionTokens: number) => ({
  pricing: flat({ inputPerMillionTokens: 0.5, outputPerMillionTokens }, '2026-11-16', launchPrices),
  laterPricing: {
    fromDay: '2027-01-01',
    prices: { inputPerMillionTokens: 1, outputPerMillionTokens: outputPerMillionTokens * 2 },
  },
})

/** As the vendor's list of deprecations stated on 2026-11-16. */
const speechEnds = { day: '2027-01-06' }
const transcriptsEnd = { day: '2027-02-26' }

export const audioModels: BuiltinModel[] = [
  {
    ...from('gemini', 'gemini-3.8-flash-tts'),
    name: 'Gemini 3.8 Flash TTS',
    kind: 'SPEECH',
    description: 'Reads text aloud with expression, in more than 100 languages.',
    capabilities: geminiSpeech,
    facts: geminiSpeechPage,
    ...untilNewYear(9),
  },
  {
    ...from('gemini', 'gemini-3.8-flash-lite-tts'),
    name: 'Gemini 3.8 Flash-Lite TTS',
    kind: 'SPEECH',
    description: 'Reads text aloud, quickly and at a lower price.',
    capabilities: geminiSpeech,
    facts: geminiSpeechPage,
    ...untilNewYear(6),
  },
  {
    ...from('openai', 'gpt-4o-mini-tts'),
    name: 'GPT-4o mini TTS',
    kind: 'SPEECH',
    description:
      'Reads text aloud, following instructions. OpenAI will retire it on 6 January 2027.',
    capabilities: { inputModalities: ['text'], speechEvents: true },
    facts: openAiSdk,
    shutdown: speechEnds,
  },
  {
    ...from('openai', 'tts-1'),
    name: 'TTS-1',
    kind: 'SPEECH',
    description: 'Reads text aloud with little delay. OpenAI will retire it on 6 January 2027.',
    capabilities: { inputModalities: ['text'], speechInstructions: false },
    facts: openAiSdk,
    shutdown: speechEnds,
    pricing: perCharacter(15, 'tts-1'),
  },
  {
    ...from('openai', 'tts-1-hd'),
    name: 'TTS-1 HD',
    kind: 'SPEECH',
    description: 'Reads text aloud in higher quality. OpenAI will retire it on 6 January 2027.',
    capabilities: { inputModalities: ['text'], speechInstructions: false },
    facts: openAiSdk,
    shutdown: speechEnds,
    pricing: perCharacter(30, 'tts-1-hd'),
  },
  {
    ...from('openai', 'gpt-transcribe'),
    name: 'GPT Transcribe',
    kind: 'TRANSCRIPTION',
    description: 'Transcribes speech in many languages; accepts hints about words and languages.',
    capabilities: { inputModalities: heard, transcriptFormats: ['json', 'text'] },
    facts: cited('https://developers.openai.com/api/docs/models/gpt-transcribe', '2026-11-16'),
  },
  {
    ...from('openai', 'gpt-4o-transcribe-diarize'),
    name: 'GPT-4o Transcribe Diarize',
    kind: 'TRANSCRIPTION',
    description:
      'Transcribes speech and identifies the speakers. OpenAI will retire it on 26 February 2027.',
    capabilities: {
      inputModalities: ['audio'],
      transcriptFormats: ['json', 'text', 'diarized_json'],
    },
    facts: openAiSdk,
    shutdown: transcriptsEnd,
  },
  {
    ...from('openai', 'gpt-4o-transcribe'),
    name: 'GPT-4o Transcribe',
    kind: 'TRANSCRIPTION',
    description: 'Transcribes speech. OpenAI will retire it on 26 February 2027.',
    capabilities: { inputModalities: heard, transcriptFormats: ['json', 'text'] },
    facts: openAiSdk,
    shutdown: transcriptsEnd,
  },
  {
    ...from('openai', 'gpt-4o-mini-transcribe'),
    name: 'GPT-4o mini Transcribe',
    kind: 'TRANSCRIPTION',
    description: 'Transcribes speech at a lower price. OpenAI will retire it on 26 February 2027.',
    capabilities: { inputModalities: heard, transcriptFormats: ['json', 'text'] },
    facts: openAiSdk,
    shutdown: transcriptsEnd,
  },
  {
    ...from('openai', 'whisper-1'),
    name: 'Whisper',
    kind: 'TRANSCRIPTION',
    description:
      'Transcribes speech with timestamps or as subtitles. OpenAI will retire it on 26 February 2027.',
    capabilities: {
      inputModalities: heard,
      transcriptFormats: ['json', 'text', 'srt', 'verbose_json', 'vtt'],
    },
    facts: openAiSdk,
    shutdown: transcriptsEnd,
  },
]
