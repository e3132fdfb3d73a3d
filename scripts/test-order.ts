import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Starts the end-to-end tests of each project first: they are short files that take long, so that one of them at the
 * end would keep all workers but its own waiting.
 */
export class TestOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const names = new Set(sorted.map(({ project }) => project.name))
    return [...names].flatMap((name) => {
      const own = sorted.filter(({ project }) => project.name === name)
      return [...own.filter(isEndToEnd), ...own.filter((file) => !isEndToEnd(file))]
    })
  }
}

function isEndToEnd({ moduleId }: TestSpecification): boolean {
  return moduleId.includes('/e2e/')
}
