// All node types. To add one, write its file in types/, a line here, and its test.
import type { NodeType } from './node-type.ts'
import { browserNode } from './types/browser.ts'
import { flowCondition } from './types/flow-condition.ts'
import { flowMap } from './types/flow-map.ts'
import { flowMerge } from './types/flow-merge.ts'
import { httpRequest } from './types/http-request.ts'
import { imageGenerate } from './types/image-generate.ts'
import { inputBoolean } from './types/input-boolean.ts'
import { inputImage } from './types/input-image.ts'
import { inputJson } from './types/input-json.ts'
import { inputNumber } from './types/input-number.ts'
import { inputText } from './types/input-text.ts'
import { inputVideo } from './types/input-video.ts'
import { jsonTransform } from './types/json-transform.ts'
import { output } from './types/output.ts'
import { textGenerate } from './types/text-generate.ts'
import { textTemplate } from './types/text-template.ts'
import { videoGenerate } from './types/video-generate.ts'
import { workflowCall } from './types/workflow-call.ts'

/** In the order of the palette. */
export const nodeTypes: readonly NodeType[] = [
  inputText,
  inputNumber,
  inputBoolean,
  inputImage,
  inputVideo,
  inputJson,
  textGenerate,
  imageGenerate,
  videoGenerate,
  textTemplate,
  jsonTransform,
  flowCondition,
  flowMap,
  flowMerge,
  httpRequest,
  workflowCall,
  output,
]

const byName = new Map(nodeTypes.map((nodeType) => [nodeType.type, nodeType]))
const browserName = /^browser\.[A-Za-z0-9_-]{1,64}$/

/** All names of the form `browser.<name>` share one type. */
export const findNodeType = (name: string): NodeType | undefined =>
  byName.get(name) ?? (browserName.test(name) ? browserNode : undefined)
