# The options of "tc -j qdisc show" as tc's command line takes them, in a line:
#   tc -j qdisc show dev eth0 root | jq -r '.[0].options' | jq -rf options_from_json.jq
# true and false are flags, null is "off", a rate is in bytes per second, and a mask belongs to its
# selector. Values in force (target_effective) are no options.
. as $options
| to_entries
| map(select(.key | endswith("_mask") or endswith("_effective") | not))
| map(
    if .value == null then [.key, "off"]
    elif .key == "rate" then [.key, "\(.value)bps"]
    elif .key == "atm" then [.value]
    elif .key == "ingress" then [if .value then "ingress" else "egress" end]
    elif .key == "shared" then [if .value then "shared" else "alone" end]
    elif .key == "split_gso" then [if .value then "split_gso" else "no_split_gso" end]
    elif .key == "answers" and $options.bottleneck == "here" then []
    elif .value == true then [.key]
    elif .value == false then ["no" + .key]
    elif (.key | endswith("_selector")) then
      [.key, "\(.value)/\($options[.key | sub("_selector$"; "_mask")])"]
    else [.key, (.value | tostring)]
    end)
| add // []
| join(" ")
