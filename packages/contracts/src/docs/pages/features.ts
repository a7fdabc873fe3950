import type { DocsPage } from '../docs-facts.ts'

export const features: DocsPage = {
  title: 'Streaming, tools and images',
  summary: 'Streams, tool calls, JSON answers, images, prompt caching, embeddings and retries.',
  write: ({ publicUrl, gatewayUrl, modelsUrl }) => `
The gateway takes what the API references of OpenAI and Anthropic document, and passes it on unchanged. So your SDK works as you know it. The
examples are for Python, with this client:

\`\`\`python
from openai import OpenAI

client = OpenAI(base_url="${gatewayUrl}/v1", api_key="YOUR_API_KEY")
\`\`\`

What a model can do is up to its provider: each page of the [models](${modelsUrl}) lists it.

## Streaming

\`\`\`python
stream = client.chat.completions.create(
    model="MODEL",
    messages=[{"role": "user", "content": "Tell me a story."}],
    stream=True,
)
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="")
\`\`\`

If a stream breaks, its last event is an error. A stream that ends without one is complete. You pay for what was sent.

## Tool calls

\`\`\`python
messages = [{"role": "user", "content": "What is the weather in Lisbon?"}]
answer = client.chat.completions.create(
    model="MODEL",
    messages=messages,
    tools=[{
        "type": "function",
        "function": {
            "name": "get_weather",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}},
                "required": ["city"],
            },
        },
    }],
)
call = answer.choices[0].message.tool_calls[0]
print(call.function.name, call.function.arguments)
\`\`\`

Function calling goes on with a second request: append the message of the model and the result of your function, and send all messages again.

\`\`\`python
messages.append(answer.choices[0].message)
messages.append({"role": "tool", "tool_call_id": call.id, "content": "22 °C, sunny"})
\`\`\`

Some models of OpenAI call functions at \`/v1/chat/completions\` only with \`reasoning_effort="none"\`, and at \`/v1/responses\` always.

## Web search

Models with a price for it search the web while they answer: send the tool \`web_search\` to \`/v1/responses\`, or Anthropic's to
\`/v1/messages\`. Each search costs its price, and what it finds is input. Other tools that a provider runs do not work.

## Answers as JSON

\`\`\`python
answer = client.chat.completions.create(
    model="MODEL",
    messages=[{"role": "user", "content": "Name a city and its country."}],
    response_format={
        "type": "json_schema",
        "json_schema": {
            "name": "city",
            "strict": True,
            "schema": {
                "type": "object",
                "properties": {"city": {"type": "string"}, "country": {"type": "string"}},
                "required": ["city", "country"],
                "additionalProperties": False,
            },
        },
    },
)
\`\`\`

\`{"type": "json_object"}\` asks for any JSON. Say in the prompt which members you want.

## Reasoning

\`\`\`python
answer = client.chat.completions.create(
    model="MODEL",
    messages=[{"role": "user", "content": "How many squares are on a chess board?"}],
    reasoning_effort="low",
)
print(answer.usage.completion_tokens_details.reasoning_tokens)
\`\`\`

Models that reason think before they answer. What they think is output: you pay for it, and \`max_completion_tokens\` counts it, so leave room.
The levels of \`reasoning_effort\` are those of the model's provider. At \`/v1/responses\`, it is \`reasoning.effort\`. At \`/v1/messages\`, \`thinking\`
turns it on, and \`output_config.effort\` says how much.

## Images

\`\`\`python
answer = client.chat.completions.create(
    model="MODEL",
    messages=[{
        "role": "user",
        "content": [
            {"type": "text", "text": "What is in this picture?"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,…"}},
        ],
    }],
)
\`\`\`

Models with vision read PNG, JPEG, GIF and WebP. For the address of an image, we reserve the tokens of the model's largest image. You pay for
its real tokens.

## Audio

Models that accept audio take parts of the type \`input_audio\`, as MP3 or WAV in Base64. A second of speech costs some tokens of audio input.

## Prompt caching

Models with a price for cached input charge it for the part of a prompt that the provider has seen before. Most providers find it by
themselves: keep the beginning of your prompts the same. At \`/v1/messages\`, mark the part with \`cache_control\`.

## Embeddings

\`\`\`sh
curl ${gatewayUrl}/v1/embeddings \\
  -H "Authorization: Bearer YOUR_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{ "model": "EMBEDDINGS_MODEL", "input": "Hello!" }'
\`\`\`

## Retries

SDKs retry by themselves, and errors tell them when. If you send a request again yourself, give both the same header \`Idempotency-Key\`: the
request is then charged once. [Errors](${publicUrl}/docs/errors) has what to do about each code.
`
}
