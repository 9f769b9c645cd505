// All node types. To add one, write its file in types/, a line here, and its test.
import type { NodeType } from '../node/node-type.ts'
import { browserNode } from './browser.ts'
import { flowCondition } from './flow-condition.ts'
import { flowMap } from './flow-map.ts'
import { flowMerge } from './flow-merge.ts'
import { flowRepeat } from './flow-repeat.ts'
import { httpRequest } from './http-request.ts'
import { imageGenerate } from './image-generate.ts'
import { inputBoolean } from './input-boolean.ts'
import { inputImage } from './input-image.ts'
import { inputJson } from './input-json.ts'
import { inputNumber } from './input-number.ts'
import { inputText } from './input-text.ts'
import { inputVideo } from './input-video.ts'
import { jsonTransform } from './json-transform.ts'
import { output } from './output.ts'
import { textGenerate } from './text-generate.ts'
import { textTemplate } from './text-template.ts'
import { videoGenerate } from './video-generate.ts'
import { waitApproval } from './wait-approval.ts'
import { waitCallback } from './wait-callback.ts'
import { waitDelay } from './wait-delay.ts'
import { workflowCall } from './workflow-call.ts'

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
  flowMap((name) => findNodeType(name)),
  flowRepeat((name) => findNodeType(name)),
  flowMerge,
  waitDelay,
  waitApproval,
  waitCallback,
  httpRequest,
  workflowCall,
  output,
]

const byName = new Map(nodeTypes.map((nodeType) => [nodeType.type, nodeType]))
const browserName = /^browser\.[A-Za-z0-9_-]{1,64}$/

/** All names of the form `browser.<name>` share one type. */
export const findNodeType = (name: string): NodeType | undefined =>
  byName.get(name) ?? (browserName.test(name) ? browserNode : undefined)
