export { default as Anthropic } from '@anthropic-ai/sdk'
