/** The longest run of text that is parsed as Markdown. Longer ones are shown as they are. */
export const maxParsedLength = 32_768

/** The most blocks, list items and table rows of one text. The rest of the text is shown as it is. */
export const maxBlocks = 10_000

/** How deep lists and quotes may nest, and likewise emphasis and links. Deeper ones are text. */
export const maxDepth = 20

/** The widest table. Wider ones are text. */
export const maxColumns = 100

/** The most link definitions of one text. Later ones are ignored. */
export const maxDefinitions = 500
