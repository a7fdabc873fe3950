export { default as OpenAI } from 'openai'
export { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod'
