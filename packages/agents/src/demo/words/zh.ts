import type { DemoWords } from './demo-words.ts'

export const zh: DemoWords = {
  tripWords: ['周末', '旅行'],
  fixWords: ['测试', '修复'],
  heard: '我听到了：{text}\n',
  again: '我们接着上次继续。\n',
  trip: {
    plan: ['询问您的喜好', '查询列车和天气', '比较住处', '预订行程'],
    thought:
      '两个人，一个周末，坐火车。单程不到四小时，两天的大部分时间都能留下来。首先我要知道想去什么样的地方。',
    question: '您想在哪里度过周末？',
    sea: { label: '海边', place: '瓦尔内明德', stay: '灯塔旅馆', walk: '沿着海滩走到灯塔' },
    hills: { label: '山里', place: '韦尼格罗德', stay: '林间小屋', walk: '走上城堡' },
    city: { label: '城市', place: '布拉格', stay: '桥边之家', walk: '走过古桥' },
    scout: '找一个安静、离车站近、可以住一晚的地方。',
    compared: '在十二个住处中，**{stay}** 离车站最近，也在预算之内。\n',
    answer: `# {place}的周末

列车直达，需要 **{hours} 小时**。天气不错：周六 21°，周日 19°，可能有小雨。

## 我的建议

1. 乘 07:46 的列车，把行李放在*{stay}*。
2. {walk}。
3. 周日睡个懒觉，吃完饭再坐车回家。

| 时间 | 内容 | 价格 |
| --- | --- | ---: |
| 周六 | 去程列车 | 45 € |
| 周六 | {stay}一晚 | 96 € |
| 周日 | 回程列车 | 45 € |

放进日历：

\`\`\`ics
BEGIN:VEVENT
DTSTART:20270515T074600
SUMMARY:去{place}的列车
END:VEVENT
\`\`\`
`,
    confirm: '以 {price} € 预订列车和{stay}吗？',
    consequence: '车票不能退。',
    booked: '## 已预订\n\n去{place}的行程已经订好，编号是 **DEMO-4711**。旅途愉快！\n',
    kept: '什么都没有预订。计划留在这里，价格到明天有效。\n',
  },
  fix: {
    plan: ['运行测试', '寻找原因', '修改代码', '再次运行测试'],
    thought: '测试期望 19.99，得到 20。看来是取整到了整数，而不是到分。我来看看这个函数，以及谁调用它。',
    found: `## 问题所在

\`total()\` 取整到整数，而测试要求到分：

\`\`\`ts
return Math.round(lines.reduce((sum, { price, count }) => sum + price * count, 0))
\`\`\`

有两种改法，在很长的账单上会差一分钱。
`,
    question: '应该在哪里取整？',
    atEnd: '最后一次',
    perLine: '每一行',
    review: '看看 src/invoice.ts 的改动，告诉我是否安全。',
    reviewed: '改动很小，只涉及一个函数，没有别处调用它。\n',
    fixed: `# 已修复

取整方式：*{where}*

\`\`\`ts
{rounding}
\`\`\`

| 测试 | 之前 | 之后 |
| --- | ---: | ---: |
| 通过 | 41 | 42 |
| 失败 | 1 | 0 |

- 改了 \`src/invoice.ts\` 的一行。
- 已经有人审查过。
`,
    confirm: '把修复推送到主分支吗？',
    consequence: '会立即发布，无法撤回。',
    pushed: '已推送为 `4f2c9e1`。所有测试都通过。\n',
    kept: '没有推送任何东西。改动在您的工作目录里。\n',
  },
  long: {
    plan: '写一份很长的报告',
    title: '一份很长的报告',
    section: '章节',
    text: '这段文字有意写得很长，好让您看到一个不停的流是怎样的。关上窗口，过一会儿再回来，从您停下的那个词接着读。',
  },
}
