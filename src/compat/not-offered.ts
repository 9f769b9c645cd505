// What the vendors' clients can call and this server does not have, with the sentence that it is
// answered with. A path stands for everything below it, too; with `/*`, only for that. The pages on
// both APIs list these tables, and a test holds them against the vendors' SDKs.
import { apiPrefix } from '#api/public/context.ts'

const batches = 'Batches are not offered: send the requests one by one.'
const agents =
  'Hosted agents are not offered: run the agent in your program, which sends its turns here.'
const files =
  'The Files API is not offered: send a file in the request itself, as base64 or as an address.'
const skills = 'Skills are not kept here: give the model their text.'
const vaults = 'Vaults are not offered: keep credentials where your program runs.'
const live =
  'Live sessions are not offered: use POST /v1/responses with "stream": true, and /v1/audio for speech.'
const assistants = 'The Assistants API is not offered: use POST /v1/responses.'
const tuning = 'Fine-tuning is not offered: GET /v1/models lists the models.'
const stores =
  'Vector stores are not offered: make vectors with POST /v1/embeddings and keep them yourself.'
const voices = 'Voices of your own are not offered: use those of the model.'
const webhooks = `Webhooks of this API are not offered: runs of workflows have them (${apiPrefix}/workflows/{workflowId}/runs).`
const organization =
  'Members, keys, limits and usage are managed in the console of this server, or with its command line.'

export const notOfferedOfOpenAi: Readonly<Record<string, string>> = {
  '/agents': agents,
  '/assistants': assistants,
  '/audio/translations':
    'Translations of recordings are not offered: use POST /v1/audio/transcriptions and let a model translate the text.',
  '/audio/voice_consents': voices,
  '/audio/voices': voices,
  '/batches': batches,
  '/chat/completions/*': 'Chat completions are not kept: read the answer when it comes.',
  '/chatkit': 'ChatKit is not offered: use POST /v1/responses.',
  '/completions': 'Legacy completions are not offered: use POST /v1/chat/completions.',
  '/containers':
    'Containers are not offered: run code where you want it, and offer that to the model as a function.',
  '/content_provenance_checks': 'Checks of provenance are not offered.',
  '/conversations':
    'Conversations are not kept: continue a response with previous_response_id, or send the whole conversation.',
  '/decisions': 'Decisions are not offered: use POST /v1/chat/completions with a JSON schema.',
  '/evals': 'Evaluations are not offered: run them in your program.',
  '/files': files,
  '/fine_tuning': tuning,
  '/images/variations': 'Variations are not offered: use POST /v1/images/edits with a prompt.',
  '/live': live,
  '/moderations': 'Moderation is not offered: ask a text model to judge, with a JSON schema.',
  '/organization': organization,
  '/projects': organization,
  '/realtime': live,
  '/responses/*':
    'Responses are not made in the background, so there is nothing to cancel: close the stream.',
  '/safety': 'Reports on safety are not offered.',
  '/skills': skills,
  '/threads': assistants,
  '/uploads': files,
  '/vaults': vaults,
  '/vector_stores': stores,
  '/videos': `Videos are made by the native API: POST ${apiPrefix}/videos/generations.`,
  '/webhook_endpoints': webhooks,
  '/webhook_event_types': webhooks,
}

export const notOfferedOfAnthropic: Readonly<Record<string, string>> = {
  '/agents': agents,
  '/complete': 'Text completions are not offered: use POST /v1/messages.',
  '/deployment_runs': agents,
  '/deployments': agents,
  '/dreams': agents,
  '/environments': agents,
  '/files': files,
  '/memory_stores': 'Memory is not kept here: offer it to the model as a tool of yours.',
  '/messages/batches': batches,
  '/organizations': organization,
  '/sessions': agents,
  '/skills': skills,
  '/tunnels': 'Tunnels are not offered: connect MCP servers to your client.',
  '/user_profiles': 'Profiles of users are not offered.',
  '/vaults': vaults,
}
