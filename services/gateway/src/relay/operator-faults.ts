import type { ErrorCode } from '@tollgate/contracts/errors/table.ts'
import type { RefusalReason } from './read-refusal.ts'

/**
 * What only the operator can repair at a provider: the credential, the account's credit, or the model of a route, which
 * the provider does not have or does not offer to the account.
 */
export type OperatorFault = 'credential' | 'credit' | 'model'

/** What the client gets. */
export const codeOfFault = {
  credential: 'upstream_rejected_credentials',
  credit: 'upstream_quota_exhausted',
  model: 'upstream_misconfigured'
} as const satisfies Record<OperatorFault, ErrorCode>

const faultOfCode: ReadonlyMap<ErrorCode, OperatorFault> = new Map(
  Object.entries(codeOfFault).map(([fault, code]) => [code, fault as OperatorFault])
)

/** The fault that an error reports; null for errors that somebody else or time can repair. */
export const reportedFault = (code: ErrorCode): OperatorFault | null => faultOfCode.get(code) ?? null

interface Rule {
  readonly fault: OperatorFault
  /** The statuses with which it is sent; absent: any. */
  readonly statuses?: readonly number[]
  /** The error's code, type or reason, in lower case. */
  readonly names?: readonly string[]
  /**
   * For statuses about the request, it matches the beginning: words of the request may be repeated later in the
   * message.
   */
  readonly message?: RegExp
  /** Matches the faulty member of the request. */
  readonly param?: string
}

/**
 * How providers report the faults of operators with statuses that are otherwise about the request. The gateway writes
 * `model` and the credential itself, so a client cannot cause them. Sources: issues on GitHub and documentation, read
 * in November 2026.
 */
const rules: readonly Rule[] = [
  // OpenAI (429 and 400), Moonshot (MoonshotAI/kimi-code#1857), Alibaba (400), Anthropic (402)
  {
    fault: 'credit',
    names: [
      'insufficient_quota',
      'credit_balance_exhausted',
      'organization_spend_limit_exceeded',
      'organization_usage_limit_exceeded',
      'project_spend_limit_exceeded',
      'billing_hard_limit_reached',
      'billing_not_active',
      'exceeded_current_quota_error',
      'arrearage',
      'billing_error',
      'billing_disabled'
    ]
  },
  // Anthropic (anthropics/anthropic-sdk-typescript#618)
  {
    fault: 'credit',
    statuses: [400],
    message: /^(?:Your credit balance is too low|You have reached your specified API usage limits)\b/
  },
  // xAI (continuedev/continue#10373, #12670)
  {
    fault: 'credit',
    statuses: [403, 429],
    message: /\b(?:run out of credits|used all available credits|doesn't have any credits)\b/
  },

  // Gemini (google-gemini/gemini-cli#25198, cequence-io/openai-scala-client#109), an expired key
  // (continuedev/continue#11336)
  { fault: 'credential', names: ['api_key_invalid', 'invalid_api_key'] },
  { fault: 'credential', statuses: [400], message: /^API key (?:not valid|not found|expired)\b/i },
  // xAI (openai/codex#1352)
  { fault: 'credential', statuses: [400], message: /^Incorrect API key provided\b/ },
  // Anthropic (anthropics/claude-code#19028)
  { fault: 'credential', statuses: [400], message: /^(?:This|Your) organization has been disabled\b/ },
  // Groq (NVIDIA-NeMo/Guardrails#563)
  { fault: 'credential', names: ['organization_restricted'] },
  // Bedrock (vercel/ai#4163; AWS, "Common Errors")
  { fault: 'credential', message: /^The security token included in the request is (?:invalid|expired)\b/ },

  // OpenAI (cursor/cursor#2953), Groq (continuedev/continue#10166, valentinfrlch/ha-llmvision#324,
  // orbi-build/orbi#561), Azure (chatboxai/chatbox#646, run-llama/llama_index#16503), Mistral
  // (mistralai/mistral-vibe#617), Together (HeyPuter/puter#3168)
  {
    fault: 'model',
    names: [
      'model_not_found',
      'model_decommissioned',
      'model_permission_blocked_org',
      'model_permission_blocked_project',
      'model_terms_required',
      'deploymentnotfound',
      'operationnotsupported',
      'invalid_model',
      'model_not_available',
      'dedicated_endpoint_not_running'
    ]
  },
  // OpenAI (Lamb-Project/lamb#54, openai/openai-go#565, continuedev/continue#9067)
  { fault: 'model', message: /^Your organization must be verified\b/ },
  // OpenAI: the model is not offered at this endpoint
  { fault: 'model', statuses: [404], param: 'model' },
  // vLLM (vllm-project/vllm#3485), Groq, OpenAI
  { fault: 'model', statuses: [404], message: /^The model [`'"].{0,300}[`'"] (?:does not exist|was not found)\b/ },
  // Ollama (ollama/ollama#718, netease-youdao/QAnything#555)
  { fault: 'model', statuses: [404], message: /^model ['"].{0,300}['"] not found\b/i },
  // Anthropic (docs.anthropic.com/en/api/errors)
  { fault: 'model', statuses: [404], names: ['not_found_error'], message: /^model: / },
  // Moonshot (platform.moonshot.ai/docs)
  { fault: 'model', statuses: [404], message: /^Not found the model\b/ },
  // DeepSeek (langbot-app/LangBot#1643), SiliconFlow (ErlichLiu/DeepClaude#92)
  { fault: 'model', statuses: [400], message: /^Model (?:Not Exist$|does not exist\b)/ },
  // LiteLLM (continuedev/continue#11177)
  { fault: 'model', statuses: [400], message: /^(?:\S{1,200}: )?Invalid model name passed in model=/ },
  // OpenRouter (vyancharuk/nodejs-api-boilerplate#16, truefoundry/models#826)
  { fault: 'model', statuses: [400], message: /^\S{1,200} is not a valid model ID$/ },
  { fault: 'model', statuses: [404], message: /^No endpoints (?:found|available) (?:for|matching your)\b/ },
  // Vertex AI (truefoundry/models#946), Gemini (google-gemini/gemini-cli#24641)
  {
    fault: 'model',
    statuses: [404],
    message: /^(?:Publisher Model\b|models\/\S{1,200} is not found for API version\b)/
  },
  { fault: 'model', statuses: [400], message: /^User location is not supported\b/ },
  // Bedrock (RooCodeInc/Roo-Code#10473, terricain/aioboto3#352,
  // aws-samples/generative-ai-to-build-a-devsecops-chatbot#3)
  {
    fault: 'model',
    statuses: [400, 403, 404],
    message:
      /^(?:The provided model identifier is invalid\b|Invocation of model ID \S{1,300} with on-demand throughput isn.t supported\b|You don't have access to the model\b|Model use case details have not been submitted\b)/
  },
  // A wrong base URL: Azure (Azure-Samples/openai, "Resource not found"), FastAPI, Go
  { fault: 'model', statuses: [404], message: /^(?:Resource not found|Not Found|404 page not found)$/ }
]

/** Finds what only the operator can repair. @returns null if the status alone decides who can */
export function operatorFault(status: number, reason: RefusalReason): OperatorFault | null {
  const names = [reason.code, reason.type, reason.reason].flatMap((name) => (name === null ? [] : [name.toLowerCase()]))
  return rules.find((rule) => matches(rule, status, names, reason))?.fault ?? null
}

function matches(
  { statuses, names, message, param }: Rule,
  status: number,
  reasonNames: readonly string[],
  reason: RefusalReason
): boolean {
  return (
    statuses?.includes(status) !== false &&
    (names === undefined || reasonNames.some((name) => names.includes(name))) &&
    (message === undefined || (reason.message !== null && message.test(reason.message))) &&
    (param === undefined || reason.param === param)
  )
}
