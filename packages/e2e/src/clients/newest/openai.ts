// What packages/previous-clients exports by the same names, so that a test runs with both versions.

export { default as OpenAI } from 'openai'
export { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod'
