// Which models a server has: any that speaks OpenAI's protocol lists them, and those that people run
// themselves say more about each. Nothing is generated, so nothing is paid.
import { isRecord } from '#core/record.ts'
import { limitOf } from '../price-lists/price-list.ts'

/** Asks for JSON; null if the server has no such address, or answers something else. */
export type AskServer = (url: string, body?: object) => Promise<unknown>

export type DiscoveredModel = {
  /** The server's name for it. */
  providerModel: string
  kind: 'TEXT' | 'EMBEDDING'
  maxInputTokens?: number
  seesImages?: boolean
  /** It keeps to a JSON schema: the server lets it write nothing else. */
  keepsSchema?: boolean
}

/** `server` is the program that answers, as far as it can be told. */
export type Discovery = {
  server: 'ollama' | 'llama-cpp' | 'vllm' | 'litellm' | null
  models: DiscoveredModel[]
}

type Fields = Readonly<Record<string, unknown>>
type Listed = { id: string; fields: Fields }

/** Null if the address does not list models. `baseUrl` is what an endpoint of MODELS_FILE has. */
export async function discoverModels(baseUrl: string, ask: AskServer): Promise<Discovery | null> {
  const base = baseUrl.replace(/\/+$/, '')
  const listed = modelsIn(await ask(`${base}/models`))
  if (!listed) return null
  const root = base.replace(/\/v\d+$/, '')
  for (const describe of [describeOllama, describeLlamaCpp, describeLiteLlm]) {
    const found = await describe(listed, root, ask)
    if (found) return found
  }
  const models = listed.map(describePlain)
  const isVllm = listed.some(({ fields }) => limitOf(fields.max_model_len))
  return isVllm ? { server: 'vllm', models: models.map(keepingSchemas) } : { server: null, models }
}

function modelsIn(answer: unknown): Listed[] | null {
  const data = isRecord(answer) ? answer.data : null
  if (!Array.isArray(data)) return null
  return data.flatMap((fields: unknown) =>
    isRecord(fields) && typeof fields.id === 'string' ? [{ id: fields.id, fields }] : [],
  )
}

/** Of a plain list only the name tells what a model is for. vLLM adds the size of the context. */
function describePlain({ id, fields }: Listed): DiscoveredModel {
  const maxInputTokens = limitOf(fields.max_model_len) ?? limitOf(fields.context_length)
  return {
    ...{ providerModel: id, kind: kindByName(id) },
    ...(maxInputTokens ? { maxInputTokens } : {}),
  }
}

/** Ollama, llama.cpp and vLLM constrain what any model of theirs writes. */
const keepingSchemas = (model: DiscoveredModel): DiscoveredModel =>
  model.kind === 'TEXT' ? { ...model, keepsSchema: true } : model

const kindByName = (id: string) => (/embed|(^|[/-])(bge|e5|gte)-/i.test(id) ? 'EMBEDDING' : 'TEXT')

/** https://docs.ollama.com/api: what a model can do is told for each by itself. */
async function describeOllama(
  listed: readonly Listed[],
  root: string,
  ask: AskServer,
): Promise<Discovery | null> {
  const tags = await ask(`${root}/api/tags`)
  if (!isRecord(tags) || !Array.isArray(tags.models)) return null
  const models: DiscoveredModel[] = []
  for (const { id } of listed) {
    const shown = await ask(`${root}/api/show`, { model: id })
    models.push(isRecord(shown) ? ofOllama(id, shown) : { providerModel: id, kind: kindByName(id) })
  }
  return { server: 'ollama', models: models.map(keepingSchemas) }
}

function ofOllama(id: string, { capabilities, model_info: info }: Fields): DiscoveredModel {
  const can = (what: string) => Array.isArray(capabilities) && capabilities.includes(what)
  // Its name begins with that of the architecture.
  const length = Object.entries(isRecord(info) ? info : {}).find(([name]) =>
    name.endsWith('.context_length'),
  )?.[1]
  const maxInputTokens = limitOf(length)
  return {
    providerModel: id,
    kind: can('embedding') && !can('completion') ? 'EMBEDDING' : 'TEXT',
    ...(maxInputTokens ? { maxInputTokens } : {}),
    ...(can('vision') ? { seesImages: true } : {}),
  }
}

/** One process has one model, and /props says how it was started. */
async function describeLlamaCpp(
  listed: readonly Listed[],
  root: string,
  ask: AskServer,
): Promise<Discovery | null> {
  if (!listed.some(({ fields }) => fields.owned_by === 'llamacpp')) return null
  const props = await ask(`${root}/props`)
  const { modalities, default_generation_settings: settings } = isRecord(props) ? props : {}
  const perCall = isRecord(settings) ? limitOf(settings.n_ctx) : undefined
  const seesImages = isRecord(modalities) && modalities.vision === true
  const models = listed.map(({ id, fields }) => {
    const trained = isRecord(fields.meta) ? limitOf(fields.meta.n_ctx_train) : undefined
    const maxInputTokens = perCall ?? trained
    return {
      ...({ providerModel: id, kind: kindByName(id) } as const),
      ...(maxInputTokens ? { maxInputTokens } : {}),
      ...(seesImages ? { seesImages } : {}),
    }
  })
  return { server: 'llama-cpp', models: models.map(keepingSchemas) }
}

/** A proxy for many vendors. Its models are named as whoever set it up named them. */
async function describeLiteLlm(
  listed: readonly Listed[],
  root: string,
  ask: AskServer,
): Promise<Discovery | null> {
  const answer = await ask(`${root}/model/info`)
  const data = isRecord(answer) && Array.isArray(answer.data) ? answer.data : null
  if (!data?.some((one) => isRecord(one) && isRecord(one.litellm_params))) return null
  const infoOf = new Map(
    data.flatMap((one) =>
      isRecord(one) && isRecord(one.model_info)
        ? [[String(one.model_name), one.model_info] as const]
        : [],
    ),
  )
  const models = listed.flatMap(({ id }): DiscoveredModel[] => {
    const info = infoOf.get(id) ?? {}
    const { mode } = info
    if (
      mode !== undefined &&
      mode !== null &&
      !['chat', 'embedding', 'responses'].includes(`${mode}`)
    )
      return []
    const maxInputTokens = limitOf(info.max_input_tokens)
    const kind = mode === 'embedding' ? 'EMBEDDING' : mode ? 'TEXT' : kindByName(id)
    return [
      {
        ...{ providerModel: id, kind },
        ...(maxInputTokens ? { maxInputTokens } : {}),
        ...(info.supports_vision === true ? { seesImages: true } : {}),
        ...(info.supports_response_schema === true ? { keepsSchema: true } : {}),
      },
    ]
  })
  return { server: 'litellm', models }
}
