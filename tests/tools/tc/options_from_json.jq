# The options of "tc -j qdisc show" as tc's command line takes them, in a line:
#   tc -j qdisc show dev eth0 root | jq -r '.[0].options' | jq -rf options_from_json.jq
# true and false are flags, null is "off", and a mask belongs to its selector.
. as $options
| to_entries
| map(select(.key | endswith("_mask") | not))
| map(
    if .value == null then [.key, "off"]
    elif .value == true then [.key]
    elif .value == false then ["no" + .key]
    elif (.key | endswith("_selector")) then
      [.key, "\(.value)/\($options[.key | sub("_selector$"; "_mask")])"]
    else [.key, (.value | tostring)]
    end)
| add // []
| join(" ")
