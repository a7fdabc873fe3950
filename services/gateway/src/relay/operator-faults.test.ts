import assert from 'node:assert/strict'
import t from 'tap'
import { type OperatorFault, operatorFault } from './operator-faults.ts'
import { readRefusal } from './read-refusal.ts'

const faultIn = (status: number, body: unknown): OperatorFault | null =>
  operatorFault(status, readRefusal(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))))

const error = (message: string, members: object = {}) => ({ error: { message, ...members } })
const anthropic = (message: string, type = 'invalid_request_error') => ({ type: 'error', error: { type, message } })
const google = (code: number, message: string, details: object[] = []) => [
  { error: { code, message, status: code === 404 ? 'NOT_FOUND' : 'INVALID_ARGUMENT', details } }
]
const errorInfo = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }
const verified =
  'Your organization must be verified to stream this model. Please go to: https://platform.openai.com/settings/organization/general'
const lowCredit = 'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.'

/** As providers sent them. */
const ofOperators: Array<[from: string, status: number, body: unknown, fault: OperatorFault]> = [
  ['OpenAI', 429, error('You exceeded your current quota', { type: 'insufficient_quota' }), 'credit'],
  ['OpenAI', 400, error('Billing hard limit', { code: 'billing_hard_limit_reached' }), 'credit'],
  ['OpenAI', 429, error('No', { type: 'x', code: 'project_spend_limit_exceeded' }), 'credit'],
  ['OpenAI', 400, error(verified, { param: 'stream', code: 'unsupported_value' }), 'model'],
  [
    'OpenAI',
    403,
    error('Project `proj_J` does not have access to model `gpt-x`', { code: 'model_not_found' }),
    'model'
  ],
  ['OpenAI', 404, error('This is not a chat model and thus not supported here.', { param: 'model' }), 'model'],
  ['Moonshot', 429, error('No', { type: 'exceeded_current_quota_error' }), 'credit'],
  ['Alibaba', 400, { code: 'Arrearage', message: 'Access denied' }, 'credit'],
  ['Anthropic', 400, anthropic(lowCredit), 'credit'],
  ['Anthropic', 400, anthropic('This organization has been disabled.'), 'credential'],
  ['Anthropic', 404, anthropic('model: claude-x', 'not_found_error'), 'model'],
  ['xAI', 403, { code: 'permission-denied', error: "Your team doesn't have any credits or licenses yet." }, 'credit'],
  ['xAI', 429, { code: 'x', error: 'Your team has either used all available credits or reached its limit.' }, 'credit'],
  ['xAI', 400, { code: 'x', error: 'Incorrect API key provided: na***ys. You can obtain an API key.' }, 'credential'],
  ['Gemini', 400, google(400, 'API key not valid. Please pass a valid API key.', [errorInfo]), 'credential'],
  ['Gemini', 400, google(400, 'API Key not found. Please pass a valid API key.'), 'credential'],
  ['Gemini', 400, google(400, 'API key expired. Please renew the API key.'), 'credential'],
  ['Gemini', 404, google(404, 'models/gemini-x is not found for API version v1main, or is not supported.'), 'model'],
  ['Gemini', 400, google(400, 'User location is not supported for the API use.'), 'model'],
  ['Vertex AI', 404, google(404, 'Publisher Model `projects/1/models/x` was not found or no access.'), 'model'],
  ['Groq', 400, error('Organization has been restricted.', { code: 'organization_restricted' }), 'credential'],
  ['Groq', 404, error('The model `x` does not exist or you do not have access to it.'), 'model'],
  ['Groq', 400, error('The model `x` has been decommissioned', { code: 'model_decommissioned' }), 'model'],
  ['Azure', 404, error('The API deployment does not exist.', { code: 'DeploymentNotFound' }), 'model'],
  ['Azure', 400, error('The chatCompletion operation does not work.', { code: 'OperationNotSupported' }), 'model'],
  ['Azure', 404, error('Resource not found', { code: '404' }), 'model'],
  ['vLLM', 404, error('The model `Qwen/x` does not exist.', { type: 'NotFoundError', code: 404 }), 'model'],
  ['vLLM < 0.10', 404, { object: 'error', message: 'The model `x` does not exist.', type: 'NotFoundError' }, 'model'],
  ['Ollama', 404, error('model "x" not found, try pulling it first', { type: 'api_error' }), 'model'],
  ['Ollama, /api', 404, { error: "model 'x' not found" }, 'model'],
  ['Mistral', 400, { object: 'error', message: 'Invalid model: x', type: 'invalid_model', code: '1500' }, 'model'],
  ['DeepSeek', 400, error('Model Not Exist', { type: 'invalid_request_error' }), 'model'],
  ['SiliconFlow', 400, { code: 20012, message: 'Model does not exist. Please check it carefully.' }, 'model'],
  ['Together', 400, error('Unable to access non-serverless model x.', { code: 'model_not_available' }), 'model'],
  ['Moonshot', 404, error('Not found the model x or Permission denied'), 'model'],
  ['OpenRouter', 400, error('acme/x is not a valid model ID', { code: 400 }), 'model'],
  ['OpenRouter', 404, error('No endpoints found for acme/x:free.', { code: 404 }), 'model'],
  ['LiteLLM', 400, { error: '/chat/completions: Invalid model name passed in model=x. Call `/v1/models`' }, 'model'],
  ['Bedrock', 400, { message: 'The provided model identifier is invalid.' }, 'model'],
  ['Bedrock', 400, { message: 'Invocation of model ID a.b with on-demand throughput isn’t supported.' }, 'model'],
  ['Bedrock', 403, { message: 'The security token included in the request is expired' }, 'credential'],
  ['FastAPI, a wrong base URL', 404, { detail: 'Not Found' }, 'model'],
  ['Go, a wrong base URL', 404, '404 page not found', 'model']
]

for (const [from, status, body, fault] of ofOperators) {
  t.test(`only the operator can repair it: ${from}, ${status} ${JSON.stringify(body)}`, async () => {
    assert.equal(faultIn(status, body), fault)
  })
}

/** Refusals about the request, some with words of the request that look like a fault of the operator. */
const ofClients: Array<[status: number, body: unknown]> = [
  [400, error("Unsupported value: 'temperature'", { param: 'temperature', code: 'unsupported_value' })],
  [400, error('tools is not supported in this model.', { param: 'tools' })],
  [
    400,
    error("This model's maximum context length is 16 tokens.", { param: 'messages', code: 'context_length_exceeded' })
  ],
  [400, error(`Invalid value: '${verified}'`)],
  [400, anthropic(`The text "${lowCredit}" is too long.`)],
  [400, error('The text "The model `x` does not exist." is too long.')],
  [404, error("Item with id 'rs_1' not found.", { param: 'input' })],
  [404, error('No endpoints found that support image input', { code: 404 })],
  [404, anthropic('file: file_1', 'not_found_error')],
  [400, google(400, 'Invalid JSON payload.')],
  [403, { code: 'permission-denied', error: 'Access to the chat endpoint is denied.' }],
  [429, error('Rate limit reached for gpt-4o on tokens per min', { code: 'rate_limit_exceeded' })],
  [429, google(429, 'Resource has been exhausted (e.g. check quota).')],
  [400, { error: "Your team doesn't have any credits or licenses yet." }],
  [404, '<html></html>']
]

t.test('a refusal about the request is no fault of the operator', async () => {
  for (const [status, body] of ofClients) assert.equal(faultIn(status, body), null, JSON.stringify(body))
})
