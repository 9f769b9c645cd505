import type { StreamCall } from '#core/text-stream.ts'
import { readMessages } from './messages.ts'
import {
  badParameter,
  type Fields,
  given,
  isFields,
  optionalBoolean,
  optionalCount,
  optionalNumber,
  requiredString,
} from './parameter.ts'
import { readTools } from './tools.ts'
import { refuseUnsupported } from './unsupported.ts'

export type ChatOrder = {
  call: Omit<StreamCall, 'principal'>
  isStream: boolean
  includeUsage: boolean
}

/** Nothing that would change the answer is passed over in silence. */
export function readChatRequest(body: unknown): ChatOrder {
  if (!isFields(body)) throw badParameter('', 'must be a JSON object')
  const modelId = requiredString(body, 'model')
  const messages = readMessages(body)
  refuseUnsupported(body)
  const isStream = optionalBoolean(body, 'stream') ?? false
  const temperature = optionalNumber(body, 'temperature')
  const maxTokens = readMaxTokens(body)
  const responseFormat = readFormat(body)
  return {
    isStream,
    includeUsage: readStreamOptions(body, isStream),
    call: {
      modelId,
      messages,
      ...readTools(body),
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(responseFormat === undefined ? {} : { responseFormat }),
    },
  }
}

/** The newer name and the older one. */
function readMaxTokens(body: Fields): number | undefined {
  const newer = optionalCount(body, 'max_completion_tokens')
  const older = optionalCount(body, 'max_tokens')
  if (newer !== undefined && older !== undefined && newer !== older) {
    throw badParameter('max_tokens', 'differs from max_completion_tokens; send one of them')
  }
  return newer ?? older
}

function readFormat(body: Fields): StreamCall['responseFormat'] {
  const format = given(body, 'response_format')
  if (format === undefined) return undefined
  const type = isFields(format) ? format.type : undefined
  if (type === 'text') return 'text'
  if (type === 'json_object') return 'json'
  throw badParameter(
    'response_format',
    'may be {"type":"text"} or {"type":"json_object"}; schemas are not supported',
    'UNSUPPORTED_PARAMETER',
  )
}

function readStreamOptions(body: Fields, isStream: boolean): boolean {
  const options = given(body, 'stream_options')
  if (options === undefined) return false
  if (!isFields(options)) throw badParameter('stream_options', 'must be an object')
  if (!isStream) throw badParameter('stream_options', 'needs "stream": true')
  return optionalBoolean(options, 'include_usage', 'stream_options.include_usage') ?? false
}
